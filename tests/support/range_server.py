#!/usr/bin/env python3
"""A web server for the folder it is started in: range_server.py ranges|plain|drop. Prints its port, then a line per request.
ranges: parts of files can be asked for; plain: they cannot; drop: as ranges, but the first answer breaks off half-way."""
import http.server
import os
import sys

mode = sys.argv[1]
dropped = []


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        path = self.translate_path(self.path)
        wanted = self.headers.get("Range") if mode != "plain" else None
        print("GET", self.path, self.headers.get("Range") or "-", flush=True)
        if not os.path.isfile(path):
            return self.send_error(404)
        with open(path, "rb") as file:
            data = file.read()
        start = int(wanted.split("=")[1].split("-")[0]) if wanted else 0
        if wanted and start >= len(data):
            return self.send_error(416)
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        body = data[start:]
        if mode == "drop" and not dropped:
            dropped.append(True)
            body = body[:len(body) // 2]
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
