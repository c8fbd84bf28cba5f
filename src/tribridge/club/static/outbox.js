// Moves survive a poor connection. A move is kept, even if the page is closed, until the server has answered it, and
// is sent again with the same number: the server plays it once, however often it arrives.
(function () {
  "use strict";
  var timer = null;
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js").catch(function () {});

  function place(path) { return "move:" + path.split("/").slice(0, 3).join("/"); }
  function kept() { return JSON.parse(localStorage[place(location.pathname)] || "null"); }
  function say(on) { var bar = document.getElementById("offline"); if (bar) bar.hidden = !on; mark(on); }
  function mark(on) { // the move that waits for a connection
    var move = on && kept(), action = move && move.values.action;
    document.querySelectorAll(".pending").forEach(function (one) { one.classList.remove("pending"); });
    var button = action && document.querySelector("button[form='act'][value='" + action + "']");
    if (button) button.classList.add("pending");
  }
  document.addEventListener("table:drawn", function () { var bar = document.getElementById("offline"); mark(bar && !bar.hidden); });
  function send(move) {
    clearTimeout(timer);
    if (move && document.getElementById("board")) htmx.ajax("post", move.path, { target: "#board", swap: "innerHTML", values: move.values }).catch(function () {});
  }
  document.addEventListener("htmx:beforeRequest", function (event) {
    var config = event.detail.requestConfig, xhr = event.detail.xhr;
    if (config.verb !== "post" || !config.target || config.target.id !== "board") return;
    var move = { path: config.path, values: Object.fromEntries(config.formData) }, old = kept();
    if (old && old.values.at === move.values.at && JSON.stringify(old) !== JSON.stringify(move)) {
      event.preventDefault(); // a move with this number is on its way: nobody moves twice
      document.dispatchEvent(new CustomEvent("table:refused", { detail: document.getElementById("toast").dataset.pending }));
      return;
    }
    xhr.timeout = 6000; // a server that is frozen keeps the connection open: another one answers
    if ("at" in move.values) localStorage[place(move.path)] = JSON.stringify(move);
    xhr.addEventListener("loadend", function () {
      var answered = xhr.status && xhr.status < 500 && xhr.status !== 429;
      say(!answered);
      if (answered) delete localStorage[place(move.path)];
      else timer = setTimeout(function () { send(move); }, 1500);
    });
  });
  addEventListener("online", function () { send(kept()); });
  send(kept());

  // The offline page goes back to the page that was asked for as soon as the server answers.
  if (document.body.dataset.offline) setInterval(function () {
    fetch(location.href, { method: "HEAD" }).then(function () { location.reload(); }, function () {});
  }, 3000);
})();
