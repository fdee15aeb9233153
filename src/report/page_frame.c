/* What every page begins and ends with. The policy in its head lets a browser run the one script below, known by its
 * checksum, show pictures that lie in the page, and load nothing: whatever a name from a file may hold. */
#include "report/page.h"

#include <string.h>

#include "core/sha256.h"

/* Nothing but sorting depends on it. No characters that XML would read otherwise. */
static const char script[] = "\n"
                             "document.querySelectorAll('table.results').forEach(function (table) {\n"
                             "  var heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];\n"
                             "  heads.forEach(function (head, column) {\n"
                             "    var button = document.createElement('button');\n"
                             "    button.type = 'button';\n"
                             "    button.append.apply(button, Array.from(head.childNodes));\n"
                             "    head.append(button);\n"
                             "    button.addEventListener('click', function () {\n"
                             "      var down = head.getAttribute('aria-sort') !== 'descending';\n"
                             "      heads.forEach(function (other) { other.removeAttribute('aria-sort'); });\n"
                             "      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');\n"
                             "      var key = function (row) { return row.cells[column].dataset.value || ''; };\n"
                             "      Array.from(body.rows).sort(function (a, b) {\n"
                             "        var x = key(a), y = key(b), by = column ? x - y : x.localeCompare(y);\n"
                             "        return down ? -by : by;\n"
                             "      }).forEach(function (row) { body.append(row); });\n"
                             "    });\n"
                             "  });\n"
                             "});\n";

static void add_policy(tips_text *out) {
    tips_sha256 sum;
    uint8_t bytes[TIPS_SHA256_BYTES];
    tips__sha256_start(&sum);
    tips__sha256_add(&sum, script, strlen(script));
    tips__sha256_bytes(&sum, bytes);
    tips__text_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
                        "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src 'sha256-");
    tips__text_base64(out, bytes, sizeof bytes);
    tips__text_add(out, "'\"/>\n");
}

void tips__page_open(tips_text *out, const char *title) {
    tips__text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    add_policy(out);
    tips__text_add(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    tips__page_say(out, title);
    tips__text_add(out, "</title>\n");
    tips__page_style(out);
    tips__text_add(out, "</head>\n<body>\n<main>\n<header><h1>");
    tips__page_say(out, title);
    tips__text_add(out, "</h1>\n");
}

void tips__page_close(tips_text *out, const char *version, const char *build) {
    tips__text_print(out, "<footer class=\"small\">tips %s, %s</footer>\n</main>\n", version, build);
    tips__text_print(out, "<script>%s</script>\n</body>\n</html>\n", script);
}
