// Settings, remembered in this browser, and the sounds of the table.
(function () {
  "use strict";
  var root = document.documentElement;

  function show(key) {
    if (key === "language") return; // the server has chosen it
    var value = (key === "order" ? stored(key) : root.dataset[key]) || "";
    document.querySelectorAll("[data-setting='" + key + "']").forEach(function (control) {
      if (control.type === "checkbox") control.checked = !!value;
      else if (control.matches("button")) control.setAttribute("aria-pressed", String(!!value));
      else control.value = value;
    });
  }
  function stored(key) { try { return localStorage.getItem(key); } catch (error) { return null; } }
  function setLanguage(value) { // the page that is shown without a connection changes with it
    document.cookie = "language=" + value + "; path=/; max-age=31536000; samesite=lax";
    var kept = window.caches ? caches.keys().then(function (names) { return Promise.all(names.map(function (name) {
      return caches.open(name).then(function (cache) { return cache.add("/offline"); }); })); }) : Promise.resolve();
    kept.catch(function () {}).then(function () { location.reload(); });
  }
  function set(key, value) {
    if (key === "language") { setLanguage(value); return; }
    try { if (value) localStorage.setItem(key, value); else localStorage.removeItem(key); } catch (error) { /* not remembered */ }
    if (key === "order") { // the server puts the hand in order
      document.cookie = "order=" + value + "; path=/; max-age=31536000; samesite=lax";
      if (document.getElementById("board")) location.reload();
    } else if (value) root.dataset[key] = value; else delete root.dataset[key];
    show(key);
    if (key === "sound" && value) play("turn");
  }
  document.querySelectorAll("[data-setting]").forEach(function (control) {
    var key = control.dataset.setting;
    show(key);
    if (control.matches("button")) control.addEventListener("click", function () { set(key, root.dataset[key] ? "" : "1"); });
    else control.addEventListener("change", function () { set(key, control.type === "checkbox" ? (control.checked ? "1" : "") : control.value); });
  });
  document.getElementById("theme").addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    set("theme", dark ? "light" : "dark");
  });

  // Sounds, made on the spot: [frequency in Hz, start in seconds, length, loudness]
  var SOUNDS = { card: [[190, 0, 0.05, 0.25]], trick: [[330, 0, 0.12, 0.12], [494, 0.09, 0.2, 0.12]], turn: [[660, 0, 0.25, 0.1], [880, 0.1, 0.35, 0.08]] };
  var audio = null;
  function play(name) {
    if (!root.dataset.sound || !window.AudioContext) return;
    audio = audio || new AudioContext();
    audio.resume();
    SOUNDS[name].forEach(function (tone) {
      var source = audio.createOscillator(), volume = audio.createGain(), start = audio.currentTime + tone[1];
      source.type = name === "card" ? "triangle" : "sine";
      source.frequency.setValueAtTime(tone[0], start);
      if (name === "card") source.frequency.exponentialRampToValueAtTime(70, start + tone[2]);
      volume.gain.setValueAtTime(tone[3], start);
      volume.gain.exponentialRampToValueAtTime(0.001, start + tone[2]);
      source.connect(volume).connect(audio.destination);
      source.start(start); source.stop(start + tone[2]);
    });
    document.dispatchEvent(new CustomEvent("table:sound", { detail: name }));
  }
  document.addEventListener("table:drawn", function (event) {
    var before = event.detail.before, after = event.detail.after;
    if (after.closed && !before.closed) play("trick");
    else if (after.cards && after.cards !== before.cards) play("card");
    if (after.turn && !before.turn) setTimeout(play, after.closed ? 400 : 0, "turn");
  });
})();
