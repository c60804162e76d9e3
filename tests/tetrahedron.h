// The least mesh that MuJoCo takes, for models with files.
#pragma once

#include <cstdint>
#include <string>

/* A tetrahedron as binary STL; `size` makes different bytes. */
inline std::string Tetrahedron(float size = 1) {
  const float v[4][3] = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string out(80, '\0');
  auto put = [&](const void *p, size_t n) { out.append(static_cast<const char *>(p), n); };
  uint32_t n = 4;
  put(&n, 4);
  for (auto &face : faces) {
    float normal[3] = {0, 0, 0};
    put(normal, sizeof normal);
    for (int k : face)
      put(v[k], sizeof v[k]);
    out.append(2, '\0');
  }
  return out;
}
