// The service worker keeps the static files of one version and the offline page, and nothing else.
"use strict";
var VERSION = "VERSION", FILES = ["FILES"];
self.addEventListener("install", function (event) {
  event.waitUntil(caches.open(VERSION).then(function (cache) { return cache.addAll(FILES); }).then(function () { return self.skipWaiting(); }));
});
self.addEventListener("activate", function (event) {
  event.waitUntil(caches.keys().then(function (names) {
    return Promise.all(names.map(function (name) { return name === VERSION || caches.delete(name); }));
  }).then(function () { return self.clients.claim(); }));
});
self.addEventListener("fetch", function (event) {
  var request = event.request, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(function () { return caches.match("/offline", { ignoreVary: true }); }));
  } else if (url.search === "?v=" + VERSION) {
    event.respondWith(caches.match(request).then(function (kept) { return kept || fetch(request); }));
  } else if (url.pathname.indexOf("/static/") === 0) {
    event.respondWith(fetch(request).catch(function () { return caches.match(request, { ignoreSearch: true }); }));
  }
});
