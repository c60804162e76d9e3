/* A locale with a decimal comma, as a host may have chosen it: one that is installed, or one that
 * localedef makes of its sources. */
#ifndef TESTS_COMMA_LOCALE_H
#define TESTS_COMMA_LOCALE_H

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

/* In force as long as it lives, where there is one. */
class CommaLocale {
public:
  CommaLocale() {
    there = use();
    if (!there && *made())
      setenv("LOCPATH", made(), 1), there = use();
  }
  ~CommaLocale() {
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
  }
  CommaLocale(const CommaLocale &) = delete;

  bool there;

private:
  static bool use() {
    char text[8];
    for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8"})
      if (setlocale(LC_ALL, name)) {
        snprintf(text, sizeof text, "%.1f", 0.5);
        if (text == std::string("0,5"))
          return true;
      }
    setlocale(LC_ALL, "C");
    return false;
  }
  /* A folder for all of the process, which takes seconds; "": it cannot be made. */
  static const char *made() {
    static const Made once;
    return once.folder.c_str();
  }
  struct Made {
    Made() {
      const char *tmp = getenv("TMPDIR");
      std::string name = std::string(tmp ? tmp : "/tmp") + "/localeXXXXXX";
      if (!mkdtemp(name.data()))
        return;
      std::string command = "localedef -i de_DE -f UTF-8 --no-archive '" + name +
                            "/de_DE.UTF-8' >'" + name + "/log' 2>&1 </dev/null";
      folder = name;
      if (system(command.c_str()) != 0)
        remove();
    }
    ~Made() { remove(); }
    void remove() {
      std::error_code none;
      if (!folder.empty())
        std::filesystem::remove_all(folder, none);
      folder.clear();
    }
    std::string folder;
  };
};

#endif
