// Settings, remembered in this browser, and the sounds of the table.
(function () {
  "use strict";
  var root = document.documentElement;

  function show(key) {
    if (key === "language") return; // the server has chosen it
    var value = (key === "order" ? stored(key) : root.dataset[key]) || "";
    document.querySelectorAll("[data-setting='" + key + "']").forEach(function (control) {
      if (control.type === "checkbox") control.checked = !!value;
      else if (control.type === "radio") control.checked = control.value === value;
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
  // What opens another page is sent once, and shows that it is on its way.
  function free(form) {
    delete form.dataset.sent;
    document.querySelectorAll("[aria-busy]").forEach(function (one) { one.removeAttribute("aria-busy"); });
  }
  addEventListener("submit", function (event) {
    var form = event.target;
    if (event.defaultPrevented || form.method === "dialog") return; // it opens no page
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    if (event.submitter) event.submitter.setAttribute("aria-busy", "true");
    setTimeout(free, 15000, form);
  });
  addEventListener("pageshow", function () { document.querySelectorAll("form[data-sent]").forEach(free); });
  // The sound of one's turn is offered in the first game, once: the device remembers at which table.
  try { if (document.querySelector(".offer")?.checkVisibility()) localStorage.offered = localStorage.offered || location.pathname; } catch (error) { /* asked again */ }
  document.addEventListener("click", function (event) {
    var offer = event.target.closest("[data-offered]:not(html)");
    if (!offer) return;
    set("offered", "1");
    if (offer.dataset.offered) set("sound", offer.dataset.offered);
  });
  document.addEventListener("table:finale", function () { set("offered", "1"); });
  document.getElementById("theme").addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    set("theme", dark ? "light" : "dark");
  });

  // Sounds, made on the spot: [frequency in Hz, start in seconds, length, loudness]; without a frequency, a rustle.
  var SOUNDS = {
    card: [[0, 0, 0.05, 0.3], [190, 0, 0.05, 0.12]], gather: [[0, 0, 0.18, 0.35], [0, 0.09, 0.16, 0.25]],
    deal: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(function (at) { return [0, at * 0.06, 0.045, 0.3]; }),
    trick: [[330, 0, 0.12, 0.1], [494, 0.09, 0.2, 0.1]], turn: [[660, 0, 0.25, 0.08], [880, 0.1, 0.35, 0.06]],
    gain: [[523, 0, 0.3, 0.1], [659, 0.12, 0.3, 0.1], [784, 0.24, 0.5, 0.1]], end: [[392, 0, 0.3, 0.08], [330, 0.18, 0.5, 0.08]]
  };
  var audio = null, noise = null;
  function rustle() {
    if (!noise) {
      noise = audio.createBuffer(1, audio.sampleRate / 4, audio.sampleRate);
      noise.getChannelData(0).forEach(function (_, at, all) { all[at] = Math.random() * 2 - 1; });
    }
    var source = audio.createBufferSource(), filter = audio.createBiquadFilter();
    source.buffer = noise; filter.type = "bandpass"; filter.frequency.value = 2400; filter.Q.value = 0.7;
    return [source, source.connect(filter)];
  }
  function tone(frequency, start) {
    var source = audio.createOscillator();
    source.frequency.setValueAtTime(frequency, start);
    return [source, source];
  }
  function play(name) {
    if (root.dataset.sound === "turn" && name !== "turn") return; // that alone was asked for
    if (!root.dataset.sound || !window.AudioContext || document.hidden && name !== "turn") return;
    audio = audio || new AudioContext();
    audio.resume();
    if (audio.state !== "running" && !navigator.userActivation.hasBeenActive) return; // or all would sound at the first click
    SOUNDS[name].forEach(function (one) {
      var start = audio.currentTime + one[1], volume = audio.createGain(), made = one[0] ? tone(one[0], start) : rustle();
      volume.gain.setValueAtTime(one[3], start);
      volume.gain.exponentialRampToValueAtTime(0.001, start + one[2]);
      made[1].connect(volume).connect(audio.destination);
      made[0].start(start); made[0].stop(start + one[2]);
    });
    document.dispatchEvent(new CustomEvent("table:sound", { detail: name }));
  }
  document.addEventListener("table:drawn", function (event) {
    var before = event.detail.before, after = event.detail.after;
    if (after.deal !== before.deal) play("deal");
    else if (after.closed && !before.closed) play("trick");
    else if (before.closed && !after.closed) play("gather");
    else if (after.cards && after.cards !== before.cards) play("card");
    if (after.turn && !before.turn) setTimeout(play, after.closed ? 400 : 0, "turn");
  });
  document.addEventListener("table:finale", function (event) { play(event.detail ? "gain" : "end"); });
})();
