// What the pages do more comfortably with JavaScript; asking, answers and evidence work without it.
"use strict";

const panel = document.getElementById("panel");
const live = document.getElementById("live");
const says = document.body.dataset;

function say(text) {
  live.textContent = "";
  window.setTimeout(() => { live.textContent = text; }, 30);
}

// --- on a phone the sections are a row that scrolls

const section = document.querySelector(".side nav [aria-current]");
if (section) section.parentElement.scrollLeft = section.offsetLeft - (section.parentElement.clientWidth - section.offsetWidth) / 2;

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

// --- uploading: the file goes to the service, which reads it in the background

for (const form of document.querySelectorAll("form[data-upload]")) {
  const field = form.querySelector("input[type=file]");
  const drop = form.querySelector(".drop");
  const progress = form.querySelector(".progress");
  const bar = progress.querySelector("progress");
  const step = progress.querySelector("[data-step]");
  const problem = form.querySelector("[role=alert]");
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.toggle("over", name === "dragover"); });
  }
  drop.addEventListener("drop", (event) => { field.files = event.dataTransfer.files; });
  const tell = (text) => { if (step.textContent !== text) { step.textContent = text; say(text); } };
  const fail = (text) => {
    progress.hidden = true;
    problem.hidden = false;
    problem.textContent = text;
    form.querySelector("button[type=submit]").disabled = false;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    problem.hidden = true;
    progress.hidden = false;
    bar.removeAttribute("value");
    form.querySelector("button[type=submit]").disabled = true;
    const data = new FormData(form);
    for (const [name, value] of [...data]) if (value === "") data.delete(name);
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-CSRF-Token", says.csrf);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Accept-Language", document.documentElement.lang);
    request.upload.onprogress = (done) => {
      if (done.lengthComputable && done.loaded < done.total) { bar.max = done.total; bar.value = done.loaded; } else bar.removeAttribute("value");
    };
    request.onload = () => {
      const said = parsed(request.responseText);
      if (request.status === 202) follow(said.job_id, (job) => { tell(job.status === "queued" ? step.dataset.queued : reading(job)); }, ended);
      else fail([said.message, said.hint].filter(Boolean).join(" ") || says.failed);
    };
    request.onerror = () => fail(says.failed);
    tell(step.dataset.uploading);
    request.send(data);
  });
  const reading = (job) => job.rows ? `${step.dataset.reading} ${job.rows.toLocaleString(document.documentElement.lang)}` : step.dataset.reading;
  const ended = (job) => {
    const result = job.result || {};
    if (job.status !== "done") { fail(result.message || says.failed); return; }
    const seen = new URLSearchParams({ document: result.document || "", version: result.version_id || "", done: result.already_there ? "files.already" : "files.read" });
    window.location.assign(result.version_id ? `/files/report?${seen}` : "/files?done=files.read");
  };
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return {}; }
}

async function follow(job, each, end) {
  for (;;) {
    await new Promise((resolve) => { window.setTimeout(resolve, 500); });
    let said;
    try {
      const response = await fetch(`/v1/jobs/${job}`, { credentials: "same-origin" });
      if (!response.ok) { end({}); return; }
      said = await response.json();
    } catch { continue; }
    if (said.status === "done" || said.status === "failed") { end(said); return; }
    each(said);
  }
}

for (const place of document.querySelectorAll("[data-watch]")) {
  follow(place.dataset.watch.split("/").pop(), () => {}, () => { window.location.reload(); });
}
