"use strict";
(() => {
  const text = document.getElementById("text"), look = document.getElementById("look");
  const answer = document.getElementById("answer"), said = document.getElementById("said");
  const policy = document.getElementById("policy");
  const buttons = ["judge", "suggest", "prove"].map(id => document.getElementById(id));
  let symbols = {}, looked = "", timer = 0, asking = null, source = null;

  // -- what the service says

  const place = () => {
    const before = text.value.slice(0, text.selectionStart).split("\n");
    return { text: text.value, line: before.length, column: [...before[before.length - 1]].length };
  };

  function send(path, body, signal) {
    const headers = { "Content-Type": "application/json", "X-Fragment": "1" };
    return fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  }
  const post = async (path, body, signal) => (await send(path, body, signal)).text();

  async function lookAgain() {
    const here = place(), key = JSON.stringify(here);
    if (key === looked) return;
    looked = key;
    asking?.abort();  // the service stops working on what nobody waits for
    asking = new AbortController();
    look.setAttribute("aria-busy", "true");
    try {
      look.innerHTML = await post("/playground/look", here, asking.signal);
      look.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name === "AbortError") return;
      looked = "";
      look.removeAttribute("aria-busy");
      say("The service does not answer; type on when it does.");
    }
  }

  const later = () => { clearTimeout(timer); timer = setTimeout(lookAgain, 350); };
  const say = words => { said.textContent = words; };

  async function ask(path, body, words) {
    buttons.forEach(button => { button.disabled = true; });
    say(words);
    answer.replaceChildren();  // what stood there was of another text or place
    answer.setAttribute("aria-busy", "true");
    try { await shown(await send(path, body)); say(""); }
    catch (error) { say("The service does not answer."); }
    finally { answer.removeAttribute("aria-busy"); buttons.forEach(button => { button.disabled = false; }); }
  }

  async function shown(response) {  // an answer that comes in parts has one on each line, in the place of those before
    if (!response.headers.get("Content-Type").includes("ndjson")) { answer.innerHTML = await response.text(); return; }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop();
      if (lines.length) lean_agent_replace(answer, JSON.parse(lines[lines.length - 1]));
    }
  }

  const judge = () => ask("/playground/verdict", { text: text.value }, "The judge is at work …");

  // -- a search, watched as it goes on

  async function prove() {
    const seconds = Number(document.getElementById("seconds").value);
    const body = { theorem: text.value, budget: { seconds, lean_calls: 100000, expansions: 100000 }, minimal: true, policy: policy.value };
    const response = await fetch("/v1/prove", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const job = await response.json();
    if (job.error) { say(job.error.message); return; }
    document.getElementById("prove").textContent = "Stop the search";
    watch(job.id);
  }

  function watch(id) {
    source?.close();
    source = new EventSource("/v1/prove/" + id + "/events");
    source.job = id;
    const tree = Object.assign(document.createElement("a"), { href: "/search?job=" + id, textContent: "Look at its tree" });
    const progress = event => {
      const job = JSON.parse(event.data), cost = job.cost;
      say(`Search ${job.status}; Lean calls: ${cost.lean_calls}, states: ${cost.expansions}, seconds: ${cost.seconds.toFixed(0)}`);
      said.append(" ", tree);
    };
    source.addEventListener("progress", progress);
    source.addEventListener("end", event => { progress(event); ended(id); });
    source.addEventListener("error", () => {
      if (source?.readyState === EventSource.CLOSED) ended(id);  // it is not known any more, or the session has ended
      else say("The connection is made again …");
    });
  }

  async function ended(id) {
    source?.close();
    source = null;
    document.getElementById("prove").textContent = "Prove it";
    const response = await fetch("/playground/search/" + id, { headers: { "X-Fragment": "1" } });
    answer.innerHTML = await response.text();
    say("");
  }

  // -- typing

  function insert(words) {
    text.focus();
    if (!document.execCommand("insertText", false, words)) text.setRangeText(words, text.selectionStart, text.selectionEnd, "end");
    later();
  }

  function insertTactic(tactic) {
    const start = text.value.lastIndexOf("\n", text.selectionStart - 1) + 1;
    const end = (text.value.indexOf("\n", text.selectionStart) + 1 || text.value.length + 1) - 1;
    const line = text.value.slice(start, end), indent = line.match(/^[ ·]*/)[0].replace(/·/g, " ");
    const lines = tactic.replace(/\n/g, "\n" + (indent || "  "));
    if (/^\s*(sorry)?\s*$/.test(line) && start > 0) {
      text.setSelectionRange(start, end);
      insert((indent || "  ") + lines);
    } else if (/\bsorry\s*$/.test(line)) {
      const at = start + line.lastIndexOf("sorry");
      text.setSelectionRange(at, at + 5);
      insert(lines);
    } else {
      text.setSelectionRange(end, end);
      insert("\n" + (indent || "  ") + lines);
    }
  }

  function insertProof(proof) {
    const at = text.value.lastIndexOf(":=");
    text.setSelectionRange(at < 0 ? text.value.trimEnd().length : at, text.value.length);
    insert((at < 0 ? " " : "") + ":= " + proof + "\n");
  }

  function abbreviation(event) {  // \name, and then anything that is no part of a longer name
    const at = text.selectionStart, before = text.value.slice(0, at);
    const match = before.match(/\\([^\s\\]+)$/);
    if (!match || text.selectionStart !== text.selectionEnd || !(match[1] in symbols)) return;
    const ends = event.key === " " || event.key === "Tab" || event.key === "Enter"
      || (event.key.length === 1 && !Object.keys(symbols).some(name => name.startsWith(match[1] + event.key)));
    if (!ends || event.ctrlKey || event.metaKey) return;
    text.setSelectionRange(at - match[0].length, at);
    insert(symbols[match[1]]);
    if (event.key === "Tab") event.preventDefault();
  }

  function restore() {
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (code !== null) text.value = code;
  }

  const linkOf = () => location.pathname + "#code=" + encodeURIComponent(text.value);

  let leaving = false;
  text.addEventListener("keydown", event => {
    abbreviation(event);
    if (event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); judge(); }
    if (event.key === "Tab" && !leaving && !event.shiftKey) { event.preventDefault(); insert("  "); }
    leaving = event.key === "Escape" || (leaving && event.key === "Shift");
  });
  text.addEventListener("input", later);
  document.addEventListener("selectionchange", () => { if (document.activeElement === text) later(); });
  document.getElementById("judge").addEventListener("click", judge);
  document.getElementById("suggest").addEventListener("click", () =>
    ask("/playground/suggest", { ...place(), policy: policy.value }, "Tactics are tried …"));
  document.getElementById("prove").addEventListener("click", () => {
    if (source) fetch("/v1/prove/" + source.job, { method: "DELETE" });
    else prove().catch(() => say("The service does not answer."));
  });
  document.getElementById("link").addEventListener("click", async () => {
    history.replaceState(null, "", linkOf());
    try { await navigator.clipboard.writeText(location.href); say("The link is in the clipboard, and in the address bar."); }
    catch (error) { say("The link stands in the address bar."); }
  });
  document.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.insert) insertTactic(button.dataset.insert);
    if (button.dataset.proof) insertProof(button.dataset.proof);
    if (button.dataset.line) {
      const lines = text.value.split("\n"), line = Number(button.dataset.line) - 1;
      const column = [...(lines[line] ?? "")].slice(0, Number(button.dataset.column)).join("").length;
      const at = lines.slice(0, line).join("\n").length + (line ? 1 : 0) + column;
      text.focus();
      text.setSelectionRange(at, at);
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && source?.readyState === EventSource.CLOSED) watch(source.job);
  });
  window.addEventListener("hashchange", () => { restore(); later(); });

  const prepare = () => send("/playground/prepare", { policy: policy.value }).catch(() => {});  // else it is done when it is needed
  policy.addEventListener("change", prepare);

  restore();
  fetch("/playground/symbols").then(response => response.json()).then(table => { symbols = table; });
  lookAgain().then(prepare);
})();
