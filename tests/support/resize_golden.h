/* Written by resize_golden.py with Pillow 9.4.0. */
static const struct {
    int h, w, c, height, width;
    const char *sha256;
} resize_golden[] = {
    {37, 53, 3, 16, 16, "b4ef8f80bd46f3be0487f121804201b7842921606523b601c8c98902594a463d"},
    {28, 28, 1, 32, 32, "e947d956338822ec24c69847ffab1c3cf5fe85c5621c428466ac63228dba5c2f"},
    {100, 60, 3, 64, 38, "4571d8f7ebbc826dea7a9781390d09ecc548a7ebc3a20c170a5194d4284e62ce"},
    {375, 500, 3, 224, 299, "49085901f5204a6e7c5d0d07ee6b34b17064fdfb4f7b55f08e17c7ec95f778f9"},
    {64, 64, 3, 64, 20, "a2604ec9be294051b2cea67c89b2aacf4225c8d84d87f86310e74e72b226c5dd"},
    {9, 7, 1, 3, 7, "032ab0f30a28a785b4012076d5e339d56327ab5ba51c7539a2ebb688e5b7644b"},
    {5, 5, 3, 11, 4, "cec4628ff15264e5b92054dec0b44790224ff992e4030a0a2f0b66691861b3da"},
    {480, 31, 1, 17, 100, "731117389c9542d3ca224df2d3928be3d2211a9ad7d8853b44f36a9d39196700"},
};

static const struct {
    int h, w, side, crop;
    const char *sha256;
} crop_golden[] = {
    {375, 500, 256, 224, "c541e827fa9c30822a4ab4b804c7457f61fc135d89df2d49ea96987818b7deab"},
    {501, 333, 232, 224, "2a971987af449af924d786daaf4fd34a5e94763e693d5e939e3c788236c085fe"},
    {64, 67, 32, 27, "ec7684d61d56452618c3989b69024c503e28230fd3adb1398940c7587cac7369"},
};

/* 9x7 grey to 3x4. */
static const unsigned char small_golden[12] = {115, 145, 97, 106, 108, 88, 109, 109, 188, 111, 112, 114};

/* 4x3 colour to brightness. */
static const unsigned char grey_golden[12] = {80, 89, 86, 173, 67, 117, 114, 121, 31, 71, 68, 96};
