/* The style sheet, light, dark and printed. */
#include "report/page.h"

static void add_variables(tips_text *out, const uint32_t *colours) {
    for (int paint = TIPS_PAINT_INK; paint < TIPS_PAINTS; paint++)
        tips__text_print(out, "--%s:#%06x;", tips__paint_names[paint], (unsigned)colours[paint]);
}

static const char layout[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0;background:var(--desk);color:var(--ink);line-height:1.55;font-size:1rem;"
    "font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,Helvetica,Arial,sans-serif}\n"
    "main{max-width:66rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}\n"
    "h1{font-size:clamp(1.5rem,4.5vw,2.1rem);line-height:1.2;letter-spacing:-.015em;margin:0 0 .4rem}\n"
    "h2{font-size:1.3rem;line-height:1.3;margin:3rem 0 .5rem;letter-spacing:-.01em}\n"
    "h3{font-size:1rem;margin:0 0 .2rem}\n"
    "p{margin:.5rem 0 1rem;max-width:46rem}\n"
    "h1,h2,h3,p,li,dt,dd,figcaption,summary{overflow-wrap:anywhere}\n"
    ".meta,.lead,.small{color:var(--mut)}\n"
    ".meta,.small{font-size:.875rem}\n"
    ".summary{font-size:1.075rem;max-width:50rem;margin:1.2rem 0}\n"
    ".note{border-left:4px solid var(--s0);background:var(--pap);padding:.8rem 1.1rem;border-radius:0 .5rem .5rem 0;"
    "max-width:50rem;margin:1.2rem 0}\n"
    ".note p{margin:0}\n"
    ".warn{border-left-color:var(--s1)}\n"
    ".warn ul{margin:0;padding-left:1.1rem}\n"
    ".warn li+li{margin-top:.35rem}\n"
    ".warn li,.note{overflow-wrap:anywhere}\n"
    ".card{background:var(--pap);border:1px solid var(--grd);border-radius:.6rem}\n"
    ".scroll{overflow-x:auto;-webkit-overflow-scrolling:touch;margin:1rem 0 .6rem}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.55rem .8rem;text-align:right;border-bottom:1px solid var(--grd);vertical-align:top}\n"
    "tbody tr:last-child th,tbody tr:last-child td{border-bottom:0}\n"
    "th:first-child,td:first-child{text-align:left}\n"
    "thead th{font-size:.8125rem;font-weight:600;color:var(--mut);vertical-align:bottom;line-height:1.25}\n"
    "tbody th{font-weight:600;white-space:nowrap}\n"
    ".figures td{white-space:nowrap}\n"
    ".facts td.words{text-align:left;min-width:12rem}\n"
    ".facts small{white-space:normal}\n"
    ".results tbody th{position:sticky;left:0;background:var(--pap)}\n"
    "th small{display:block;font-weight:400;font-size:.75rem;white-space:nowrap}\n"
    ".hint{display:none}\n"
    "td small{display:block;color:var(--mut);font-size:.75rem;white-space:nowrap}\n"
    "td b{font-weight:700}\n"
    "th button{all:unset;cursor:pointer}\n"
    "th button:hover{color:var(--ink)}\n"
    "th button:focus-visible{outline:2px solid var(--s0);outline-offset:2px;border-radius:2px}\n"
    "th[aria-sort=ascending] button::after{content:\" \\2191\"}\n"
    "th[aria-sort=descending] button::after{content:\" \\2193\"}\n"
    ".dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.5em}\n";

static const char figures[] =
    ".grid{display:grid;gap:1rem;margin:1rem 0 .6rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr))}\n"
    ".maps{grid-template-columns:repeat(2,minmax(0,1fr))}\n"
    ".one{max-width:36rem}\n"
    "figure{margin:0;padding:1rem .8rem .8rem}\n"
    "figure svg,figure img{display:block;width:100%;height:auto}\n"
    ".pictures{display:block;width:100%;max-width:21rem;margin:.2rem auto .6rem}\n"
    ".pictures image{image-rendering:pixelated}\n"
    ".example{padding:1rem}\n"
    ".example table{font-size:.875rem}\n"
    ".example th,.example td{padding:.4rem .35rem;text-align:left}\n"
    ".example tbody th{white-space:normal;overflow-wrap:anywhere}\n"
    ".example td small{display:inline;white-space:normal}\n"
    ".example td img{display:block;width:96px;image-rendering:pixelated}\n"
    ".drawn{width:auto}\n"
    ".example .drawn td{vertical-align:top}\n"
    ".example .drawn td img{width:100%;min-width:72px;border-radius:.2rem}\n"
    ".example .drawn tbody th{vertical-align:middle;width:5.5rem;min-width:4.5rem}\n"
    ".example .drawn td{width:8.5rem}\n"
    ".example .drawn td small{display:block;line-height:1.3;margin-top:.2rem}\n"
    ".example .drawn .keeps{color:var(--keep)}\n"
    ".example .drawn .flips{color:var(--flip)}\n"
    ".wide{grid-template-columns:1fr}\n"
    ".wide .drawn{width:100%}\n"
    ".example.example .drawn td{width:30%}\n"
    ".legend span{margin-right:.9rem;white-space:nowrap}\n"
    ".legend i{display:inline-block;width:.8em;height:.8em;border-radius:.15em;margin-right:.35em;"
    "border:1px solid var(--grd)}\n"
    ".keeps,.flips{white-space:nowrap;font-weight:600}\n"
    ".keeps{color:var(--keep)}\n"
    ".flips{color:var(--flip)}\n"
    "pre,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}\n"
    "pre{background:var(--pap);border:1px solid var(--grd);border-radius:.6rem;padding:.9rem 1.1rem;margin:.8rem 0;"
    "font-size:.8125rem;line-height:1.6}\n"
    "pre code{display:block;font-size:1em;white-space:pre-wrap;overflow-wrap:anywhere;"
    "padding-left:2em;text-indent:-2em}\n"
    "pre code+code{margin-top:.5rem}\n"
    "dl{max-width:50rem;margin:1rem 0}\n"
    "dt{font-weight:600;margin-top:.6rem}\n"
    "dd{margin:0;color:var(--mut)}\n"
    "footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--grd)}\n"
    "@media (min-width:62rem){.maps{grid-template-columns:repeat(4,minmax(0,1fr))}}\n"
    "@media (max-width:62rem){.hint{display:block;margin:0}}\n"
    "@media (max-width:40rem){main{padding:1.5rem 1rem 3rem}h2{margin-top:2.3rem}th,td{padding:.5rem .6rem}"
    "figure{padding:.6rem .2rem .4rem}.example td small{display:block}}\n"
    "@media print{body{background:none;font-size:10pt}main{max-width:none;padding:0}"
    "h2,.lead{break-after:avoid}h2{margin-top:1.6rem}.card,figure,.example,tr,.note{break-inside:avoid}"
    ".scroll{overflow:visible}.results{font-size:8pt}th,td{padding:.3rem .4rem}"
    ".results tbody th{position:static;white-space:normal}.grid{grid-template-columns:1fr 1fr}"
    ".one{grid-template-columns:1fr;max-width:65%}.maps{grid-template-columns:1fr 1fr 1fr 1fr}.hint{display:none}}\n";

void tips__page_drawing_style(tips_text *out) {
    tips__text_add(out, "<style>:root{");
    add_variables(out, tips__paint_light);
    tips__text_add(out, "}@media screen and (prefers-color-scheme:dark){:root{");
    add_variables(out, tips__paint_dark);
    tips__text_add(out, "}}");
    tips__svg_style(out, true);
    tips__text_add(out, "</style>");
}

void tips__page_style(tips_text *out) {
    tips__text_add(out, "<style>\n:root{color-scheme:light dark;--desk:#f5f6f8;--keep:#00734f;--flip:#b3261e;");
    add_variables(out, tips__paint_light);
    tips__text_add(
        out, "}\n@media screen and (prefers-color-scheme:dark){:root{--desk:#0f1215;--keep:#4fd3a5;--flip:#ff8f80;");
    add_variables(out, tips__paint_dark);
    tips__text_add(out, "}}\n");
    tips__text_add(out, layout);
    tips__text_add(out, figures);
    tips__svg_style(out, true);
    tips__text_add(out, "</style>\n");
}
