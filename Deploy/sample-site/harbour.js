document.querySelector("nav a[href$='index.html']")?.setAttribute("aria-current", "page");
