// What the pages do more comfortably with JavaScript; asking, answers and evidence work without it.
"use strict";

const panel = document.getElementById("panel");
const live = document.getElementById("live");
const says = document.body.dataset;

function say(text) {
  live.textContent = "";
  window.setTimeout(() => { live.textContent = text; }, 30);
}

// --- the sheet around cited cells, beside the answer

async function openPanel(address) {
  const response = await fetch(address, { headers: { "X-Fragment": "1" }, credentials: "same-origin" });
  if (!response.ok || response.redirected) { window.location.assign(address); return; }
  panel.innerHTML = await response.text();
  if (!panel.open) panel.showModal();
  panel.scrollTop = 0;
  for (const sheet of panel.querySelectorAll(".sheet")) showCited(sheet);
  panel.querySelector(".close").focus({ preventScroll: true });
}

function showCited(sheet) {
  const cited = sheet.querySelector(".cited");
  if (!cited) return;
  const place = cited.getBoundingClientRect();
  const frame = sheet.getBoundingClientRect();
  sheet.scrollTop += place.top - frame.top - (frame.height - place.height) / 2;
  sheet.scrollLeft += place.left - frame.left - (frame.width - place.width) / 2;
}
for (const sheet of document.querySelectorAll("main .sheet")) showCited(sheet);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-panel]");
  if (link && panel && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    openPanel(link.href).catch(() => { window.location.assign(link.href); });
  }
  if (event.target.closest("[data-close]") || event.target === panel) panel.close();
  const chip = event.target.closest("[data-insert]");
  const box = document.getElementById("question");
  if (chip && box) {
    box.value = `${box.value.trimEnd()} ${chip.dataset.insert} `.trimStart();
    box.focus();
  }
  const copier = event.target.closest("[data-copy]");
  if (copier) copy(copier);
});

// --- parts that take longer than the page

for (const place of document.querySelectorAll("[data-load]")) {
  fetch(place.dataset.load, { headers: { "X-Fragment": "1" }, credentials: "same-origin" })
    .then(async (response) => { if (response.ok && !response.redirected) place.innerHTML = await response.text(); })
    .catch(() => { /* the page is whole without them */ });
}

// --- asking takes a moment

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.confirm && !window.confirm(form.dataset.confirm)) { event.preventDefault(); return; }
  if ("asks" in form.dataset) {
    if (form.getAttribute("aria-busy") === "true") { event.preventDefault(); return; }
    form.setAttribute("aria-busy", "true");
    say(says.busy);
  }
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
});

// --- copying a table in German or English form

async function copy(button) {
  try {
    const response = await fetch(button.dataset.copy, { credentials: "same-origin" });
    if (!response.ok) throw new Error(String(response.status));
    await put(await response.text());
    say(says.copied);
    const before = button.textContent;
    button.textContent = says.copied;
    window.setTimeout(() => { button.textContent = before; }, 1500);
  } catch {
    say(says.failed);
  }
}

async function put(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try { await navigator.clipboard.writeText(text); return; } catch { /* not allowed: the old way */ }
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("copy");
}

// --- uploading with progress

for (const form of document.querySelectorAll("form[data-upload]")) {
  const field = form.querySelector("input[type=file]");
  const drop = form.querySelector(".drop");
  const bar = form.querySelector("progress");
  const problem = form.querySelector("[role=alert]");
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.toggle("over", name === "dragover"); });
  }
  drop.addEventListener("drop", (event) => { field.files = event.dataTransfer.files; });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    problem.hidden = true;
    bar.hidden = false;
    form.querySelector("button[type=submit]").disabled = true;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-CSRF-Token", says.csrf);
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = (step) => {
      if (step.lengthComputable && step.loaded < step.total) { bar.max = step.total; bar.value = step.loaded; } else bar.removeAttribute("value");
    };
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* said below */ }
      if (request.status < 300 && answer.report) { window.location.assign(answer.report); return; }
      fail([answer.message, answer.hint].filter(Boolean).join(" ") || says.failed);
    };
    request.onerror = () => fail(says.failed);
    request.send(new FormData(form));
    say(says.busy);
  });
  function fail(text) {
    bar.hidden = true;
    problem.hidden = false;
    problem.textContent = text;
    form.querySelector("button[type=submit]").disabled = false;
  }
}
