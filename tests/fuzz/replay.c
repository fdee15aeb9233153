/* Stands in for libFuzzer: runs a target once on every file of the folders that are named. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return 0;
    const size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size ? size : 1);
    rewind(file);
    if (!data || fread(data, 1, size, file) != size) exit(1);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            count += replay_file(path);
        }
        if (folder) closedir(folder);
    }
    printf("%d inputs\n", count);
    return count ? 0 : 1;
}
