// The search: each word must stand in a section or its titles. The table is read when somebody
// first looks for anything; it is a script, so that this works from files too.
(function () {
  "use strict";
  var root = document.currentScript.dataset.root.replace(/index\.html$/, "");
  var query = document.getElementById("query"), found = document.getElementById("found");
  var wide = matchMedia("(min-width: 50.01rem)"), pages = document.getElementById("pages");
  var limit = 30, loading = false;

  function layout() { pages.open = wide.matches; }
  wide.addEventListener("change", layout);
  layout();

  function load() {
    if (loading) return;
    loading = true;
    var script = document.createElement("script");
    script.src = root + "index.js";
    script.onload = search;
    document.head.appendChild(script);
  }

  // score is higher for a better place, and 0 if a word is nowhere.
  function score(row, words) {
    var page = row[2].toLowerCase(), title = row[3].toLowerCase(), text = row[4].toLowerCase(), all = words.join(" "), sum = 0;
    if (title === all) sum += 40;
    else if (title.indexOf(all) >= 0) sum += 10;
    for (var i = 0; i < words.length; i++) {
      var w = words[i], s = 0;
      if (title.indexOf(w) >= 0) s += 12;
      if (page.indexOf(w) >= 0) s += 6;
      if (text.indexOf(w) >= 0) s += 1;
      if (s === 0) return 0;
      sum += s;
    }
    return sum;
  }

  // show adds a text with its words marked; text stays text.
  function show(parent, text, words) {
    var low = text.toLowerCase(), at = 0;
    while (at < text.length) {
      var next = -1, length = 0;
      words.forEach(function (w) {
        var i = low.indexOf(w, at);
        if (i >= 0 && (next < 0 || i < next)) { next = i; length = w.length; }
      });
      if (next < 0) break;
      parent.append(text.slice(at, next));
      var mark = document.createElement("mark");
      mark.textContent = text.slice(next, next + length);
      parent.append(mark);
      at = next + length;
    }
    parent.append(text.slice(at));
  }

  function around(text, word) {
    var i = Math.max(text.toLowerCase().indexOf(word), 0), from = Math.max(i - 50, 0);
    return (from > 0 ? "…" : "") + text.slice(from, i + 110);
  }

  function item(row, words) {
    var li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
    a.href = root + row[0] + (row[1] ? "#" + row[1] : "");
    show(a, row[2] === row[3] ? row[2] : row[2] + ": " + row[3], words);
    show(small, around(row[4], words[0]), words);
    li.append(a, small);
    return li;
  }

  function search() {
    if (!window.pmtoolsIndex) return load();
    var words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    found.hidden = words.length === 0;
    if (found.hidden) return;
    var hits = [];
    window.pmtoolsIndex.forEach(function (row, i) {
      var s = score(row, words);
      if (s > 0) hits.push([s, i, row]);
    });
    hits.sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; });
    hits.slice(0, limit).forEach(function (h) { found.append(item(h[2], words)); });
    if (hits.length === 0) found.append(Object.assign(document.createElement("li"), {textContent: "Nothing has all of these words."}));
  }

  query.addEventListener("focus", load);
  query.addEventListener("input", search);
  query.addEventListener("keydown", function (e) {
    var first = found.querySelector("a");
    if (e.key === "Enter" && first) first.click();
  });
  document.addEventListener("keydown", function (e) {
    if (e.key === "/" && document.activeElement !== query) { e.preventDefault(); query.focus(); }
    if (e.key === "Escape") { found.hidden = true; query.blur(); }
  });
  document.addEventListener("click", function (e) { if (!found.contains(e.target) && e.target !== query) found.hidden = true; });
})();
