#include "CDashboard.h"

// Packages compile C as C17, in which the compiler has it, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char indexHTML[] = {
#embed "pages/index.html"
};
static const unsigned char styleCSS[] = {
#embed "pages/style.css"
};
static const unsigned char iconSVG[] = {
#embed "pages/icon.svg"
};
static const unsigned char mainJS[] = {
#embed "pages/main.js"
};
static const unsigned char apiJS[] = {
#embed "pages/api.js"
};
static const unsigned char domJS[] = {
#embed "pages/dom.js"
};
static const unsigned char sessionJS[] = {
#embed "pages/session.js"
};
static const unsigned char overviewJS[] = {
#embed "pages/overview.js"
};
static const unsigned char loopsJS[] = {
#embed "pages/loops.js"
};
static const unsigned char programJS[] = {
#embed "pages/program.js"
};
static const unsigned char operatingJS[] = {
#embed "pages/operating.js"
};
static const unsigned char sendJS[] = {
#embed "pages/send.js"
};
static const unsigned char loopJS[] = {
#embed "pages/loop.js"
};
static const unsigned char timelineJS[] = {
#embed "pages/timeline.js"
};
static const unsigned char recentJS[] = {
#embed "pages/recent.js"
};
static const unsigned char historyJS[] = {
#embed "pages/history.js"
};
static const unsigned char causesJS[] = {
#embed "pages/causes.js"
};
static const unsigned char treeJS[] = {
#embed "pages/tree.js"
};
static const unsigned char differenceJS[] = {
#embed "pages/difference.js"
};
static const unsigned char whenceJS[] = {
#embed "pages/whence.js"
};

static const struct DashboardFile files[] = {
    {"/", "text/html; charset=utf-8", indexHTML, sizeof indexHTML},
    {"/dashboard/style.css", "text/css; charset=utf-8", styleCSS, sizeof styleCSS},
    {"/dashboard/icon.svg", "image/svg+xml", iconSVG, sizeof iconSVG},
    {"/dashboard/main.js", "text/javascript; charset=utf-8", mainJS, sizeof mainJS},
    {"/dashboard/api.js", "text/javascript; charset=utf-8", apiJS, sizeof apiJS},
    {"/dashboard/dom.js", "text/javascript; charset=utf-8", domJS, sizeof domJS},
    {"/dashboard/session.js", "text/javascript; charset=utf-8", sessionJS, sizeof sessionJS},
    {"/dashboard/overview.js", "text/javascript; charset=utf-8", overviewJS, sizeof overviewJS},
    {"/dashboard/loops.js", "text/javascript; charset=utf-8", loopsJS, sizeof loopsJS},
    {"/dashboard/program.js", "text/javascript; charset=utf-8", programJS, sizeof programJS},
    {"/dashboard/operating.js", "text/javascript; charset=utf-8", operatingJS, sizeof operatingJS},
    {"/dashboard/send.js", "text/javascript; charset=utf-8", sendJS, sizeof sendJS},
    {"/dashboard/loop.js", "text/javascript; charset=utf-8", loopJS, sizeof loopJS},
    {"/dashboard/timeline.js", "text/javascript; charset=utf-8", timelineJS, sizeof timelineJS},
    {"/dashboard/recent.js", "text/javascript; charset=utf-8", recentJS, sizeof recentJS},
    {"/dashboard/history.js", "text/javascript; charset=utf-8", historyJS, sizeof historyJS},
    {"/dashboard/causes.js", "text/javascript; charset=utf-8", causesJS, sizeof causesJS},
    {"/dashboard/tree.js", "text/javascript; charset=utf-8", treeJS, sizeof treeJS},
    {"/dashboard/difference.js", "text/javascript; charset=utf-8", differenceJS, sizeof differenceJS},
    {"/dashboard/whence.js", "text/javascript; charset=utf-8", whenceJS, sizeof whenceJS},
};

const struct DashboardFile *dashboardFiles(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
