// SPDX-License-Identifier: Apache-2.0
#include "shims/management/settings.h"

#include <stdio.h>
#include <string.h>

// Where a setting stands, for the one line that refuses it.
struct reader {
  struct management_settings* settings;
  management_knows_symbol knows;
  const char* file;
  unsigned line;
  char* problem;
};

// Bytes of the text that is read; not terminated.
struct span {
  const char* data;
  size_t size;
};

enum value_kind { TEXT, BYTES, HEXADECIMAL, ADDRESS, NUMBER_32, NUMBER_64 };

// The settings of a device: what follows "device.N.".
static const struct device_key {
  const char* key;
  size_t offset;
  enum value_kind kind;
} device_keys[] = {
    {"uuid", offsetof(struct management_device, uuid), TEXT},
    {"uuid.bytes", offsetof(struct management_device, uuid_bytes), BYTES},
    {"serial", offsetof(struct management_device, serial), HEXADECIMAL},
    {"name", offsetof(struct management_device, name), TEXT},
    {"mig", offsetof(struct management_device, mig), TEXT},
    {"pci", offsetof(struct management_device, pci), ADDRESS},
    {"utilization.gpu", offsetof(struct management_device, utilization_gpu), NUMBER_32},
    {"utilization.memory", offsetof(struct management_device, utilization_memory), NUMBER_32},
    {"temperature", offsetof(struct management_device, temperature), NUMBER_32},
    {"power", offsetof(struct management_device, power), NUMBER_32},
    {"power.average", offsetof(struct management_device, power_average), NUMBER_32},
    {"clock.graphics", offsetof(struct management_device, clock[0]), NUMBER_32},
    {"clock.sm", offsetof(struct management_device, clock[1]), NUMBER_32},
    {"clock.memory", offsetof(struct management_device, clock[2]), NUMBER_32},
    {"clock.video", offsetof(struct management_device, clock[3]), NUMBER_32},
    {"memory.total", offsetof(struct management_device, memory_total), NUMBER_64},
    {"memory.used", offsetof(struct management_device, memory_used), NUMBER_64},
};

static const char* const fault_kinds[] = {"fail", "hang", "crash", "garbage"};

static bool equals(struct span span, const char* text) {
  return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(struct span span) {
  while (span.size > 0 && is_blank(span.data[0])) {
    ++span.data;
    --span.size;
  }
  while (span.size > 0 && is_blank(span.data[span.size - 1])) {
    --span.size;
  }
  return span;
}

// Takes what lies before `separator`, and the separator, from the front of `rest`.
static struct span take_until(struct span* rest, char separator) {
  const char* const end = rest->size == 0 ? NULL : memchr(rest->data, separator, rest->size);
  const struct span taken = {rest->data, end == NULL ? rest->size : (size_t)(end - rest->data)};
  const size_t gone = end == NULL ? rest->size : taken.size + 1;
  rest->data += gone;
  rest->size -= gone;
  return taken;
}

static bool refuse(const struct reader* reader, const char* expected, struct span found) {
  char where[MANAGEMENT_PROBLEM / 2] = "DLCERT_MANAGEMENT";
  if (reader->file != NULL) {
    snprintf(where, sizeof where, "%.200s:%u", reader->file, reader->line);
  }
  char shown[81] = "";
  for (size_t i = 0; i < found.size && i < sizeof shown - 1; ++i) {
    // One line, whatever was found.
    shown[i] = found.data[i] >= ' ' && found.data[i] != 0x7F ? found.data[i] : '?';
  }
  snprintf(reader->problem, MANAGEMENT_PROBLEM, "%s: expected %s but found '%s'", where, expected,
           shown);
  return false;
}

// A decimal number up to `most`.
static bool read_number(struct span text, uint64_t most, uint64_t* number) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.size; ++i) {
    const unsigned digit = (unsigned)(text.data[i] - '0');
    if (!is_digit(text.data[i]) || digit > most || value > (most - digit) / 10) {
      return false;
    }
    value = value * 10 + digit;
  }
  *number = value;
  return text.size > 0;
}

static bool copy_text(char* to, size_t capacity, struct span text) {
  if (text.size == 0 || text.size >= capacity || memchr(text.data, '\0', text.size) != NULL) {
    return false;
  }
  memcpy(to, text.data, text.size);
  to[text.size] = '\0';
  return true;
}

static bool all_hexadecimal(struct span text, size_t least, size_t most) {
  for (size_t i = 0; i < text.size; ++i) {
    if (!is_hexadecimal(text.data[i])) {
      return false;
    }
  }
  return text.size >= least && text.size <= most;
}

static unsigned digit_value(char c) {
  return is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

// Two hexadecimal digits for each byte.
static bool read_bytes(struct span text, struct management_bytes* bytes) {
  if (text.size % 2 != 0 || !all_hexadecimal(text, 2, sizeof bytes->data * 2)) {
    return false;
  }
  memset(bytes, 0, sizeof *bytes);
  bytes->size = (uint32_t)(text.size / 2);
  for (size_t i = 0; i < bytes->size; ++i) {
    const unsigned high = digit_value(text.data[2 * i]);
    bytes->data[i] = (unsigned char)(high << 4 | digit_value(text.data[2 * i + 1]));
  }
  return true;
}

// "0000:3b:00.0"
static bool is_address(struct span text) {
  const struct span domain = take_until(&text, ':');
  const struct span bus = take_until(&text, ':');
  const struct span device = take_until(&text, '.');
  return all_hexadecimal(domain, 4, 4) && all_hexadecimal(bus, 2, 2) &&
         all_hexadecimal(device, 2, 2) && all_hexadecimal(text, 1, 1);
}

static bool read_device_value(const struct reader* reader, enum value_kind kind, void* field,
                              struct span value) {
  uint64_t number = 0;
  switch (kind) {
    case TEXT:
      return copy_text(field, MANAGEMENT_TEXT, value) ||
             refuse(reader, "a text of 1 to 95 bytes", value);
    case BYTES:
      return read_bytes(value, field) ||
             refuse(reader, "1 to 96 bytes of two hexadecimal digits each", value);
    case HEXADECIMAL:
      return (all_hexadecimal(value, 1, 16) && copy_text(field, MANAGEMENT_TEXT, value)) ||
             refuse(reader, "1 to 16 hexadecimal digits", value);
    case ADDRESS:
      return (is_address(value) && copy_text(field, MANAGEMENT_TEXT, value)) ||
             refuse(reader, "a PCI address like 0000:3b:00.0", value);
    case NUMBER_32:
      if (!read_number(value, UINT32_MAX, &number)) {
        return refuse(reader, "a number from 0 to 4294967295", value);
      }
      *(uint32_t*)field = (uint32_t)number;
      return true;
    case NUMBER_64:
      if (!read_number(value, UINT64_MAX, &number)) {
        return refuse(reader, "a number from 0 to 18446744073709551615", value);
      }
      *(uint64_t*)field = number;
      return true;
  }
  return false;
}

// Many a process is started for one question, and 256 records are 40 pages of memory to write:
// only those that are needed are.
static void describe(struct management_settings* settings, uint32_t count) {
  while (settings->described < count) {
    settings->devices[settings->described++] = settings->undescribed;
  }
}

static bool set_in_one(const struct reader* reader, uint32_t index, const struct device_key* key,
                       struct span value) {
  describe(reader->settings, index + 1);
  void* const field = (char*)&reader->settings->devices[index] + key->offset;
  return read_device_value(reader, key->kind, field, value);
}

static bool set_in_all(const struct reader* reader, const struct device_key* key,
                       struct span value) {
  void* const field = (char*)&reader->settings->undescribed + key->offset;
  bool accepted = read_device_value(reader, key->kind, field, value);
  for (uint32_t i = 0; accepted && i < reader->settings->described; ++i) {
    accepted = set_in_one(reader, i, key, value);
  }
  return accepted;
}

// "device.<index or *>.<key>", without its first part.
static bool read_device(const struct reader* reader, struct span key, struct span value,
                        struct span setting) {
  const struct span index = take_until(&key, '.');
  const bool all = equals(index, "*");
  uint64_t only = 0;
  if (!all && !read_number(index, MANAGEMENT_DEVICES - 1, &only)) {
    return refuse(reader, "a device from 0 to 255, or '*',", setting);
  }
  for (size_t k = 0; k < sizeof device_keys / sizeof *device_keys; ++k) {
    if (equals(key, device_keys[k].key)) {
      return all ? set_in_all(reader, &device_keys[k], value)
                 : set_in_one(reader, (uint32_t)only, &device_keys[k], value);
    }
  }
  return refuse(reader, "a setting of a device", setting);
}

// SYMBOL, or for a failure SYMBOL:CODE or SYMBOL:CODE:NTH.
static bool read_fault(const struct reader* reader, enum management_fault_kind kind,
                       struct span value) {
  struct management_settings* const settings = reader->settings;
  if (settings->fault_count == MANAGEMENT_FAULTS) {
    return refuse(reader, "at most 64 faults", value);
  }
  struct management_fault fault = {.kind = kind};
  struct span rest = value;
  if (kind != MANAGEMENT_FAIL) {
    rest.size = 0;
  }
  const struct span symbol = kind == MANAGEMENT_FAIL ? take_until(&rest, ':') : value;
  if (!copy_text(fault.symbol, sizeof fault.symbol, symbol) || !reader->knows(fault.symbol)) {
    return refuse(reader, "a symbol of the library", symbol);
  }
  if (kind == MANAGEMENT_FAIL) {
    uint64_t code = 0;
    uint64_t nth = 0;
    const struct span first = take_until(&rest, ':');
    const bool every = first.data + first.size == value.data + value.size;
    if (!read_number(first, UINT32_MAX, &code) ||
        (!every && (!read_number(rest, UINT32_MAX, &nth) || nth == 0))) {
      return refuse(reader, "SYMBOL:CODE or SYMBOL:CODE:CALL", value);
    }
    fault.code = (uint32_t)code;
    fault.nth = (uint32_t)nth;
  }
  settings->faults[settings->fault_count++] = fault;
  return true;
}

static bool read_setting(const struct reader* reader, struct span setting) {
  struct span value = setting;
  struct span key = take_until(&value, '=');
  if (key.size == setting.size) {
    return refuse(reader, "NAME=VALUE", setting);
  }
  if (equals(key, "devices")) {
    uint64_t count = 0;
    if (!read_number(value, MANAGEMENT_DEVICES, &count)) {
      return refuse(reader, "a number of devices from 0 to 256", value);
    }
    reader->settings->device_count = (uint32_t)count;
    describe(reader->settings, (uint32_t)count);
    return true;
  }
  if (equals(key, "trace.descriptor")) {
    uint64_t descriptor = 0;
    if (!read_number(value, INT32_MAX, &descriptor)) {
      return refuse(reader, "a number from 0 to 2147483647", value);
    }
    reader->settings->trace_descriptor = (int32_t)descriptor;
    return true;
  }
  if (equals(key, "trace")) {
    return copy_text(reader->settings->trace, MANAGEMENT_PATH, value) ||
           refuse(reader, "a path of 1 to 511 bytes", value);
  }
  for (unsigned kind = 0; kind < sizeof fault_kinds / sizeof *fault_kinds; ++kind) {
    if (equals(key, fault_kinds[kind])) {
      return read_fault(reader, (enum management_fault_kind)kind, value);
    }
  }
  if (equals(take_until(&key, '.'), "device")) {
    return read_device(reader, key, value, setting);
  }
  return refuse(reader, "a setting", setting);
}

void management_defaults(struct management_settings* settings, uint32_t power) {
  struct management_device device = {.temperature = 40,
                                     .power = power,
                                     .power_average = MANAGEMENT_UNSET,
                                     .memory_total = UINT64_C(16) << 30};
  for (size_t k = 0; k < MANAGEMENT_CLOCKS; ++k) {
    device.clock[k] = 1410;
  }
  settings->device_count = 1;
  settings->described = 0;
  settings->undescribed = device;
  settings->fault_count = 0;
  settings->trace[0] = '\0';
  settings->trace_descriptor = -1;
  describe(settings, settings->device_count);
}

bool management_parse(struct management_settings* settings, const char* text, size_t size,
                      const char* file, management_knows_symbol knows,
                      char problem[MANAGEMENT_PROBLEM]) {
  struct reader reader = {settings, knows, file, 0, problem};
  struct span rest = {text, size};
  while (rest.size > 0) {
    ++reader.line;
    const struct span setting = trim(take_until(&rest, file == NULL ? ';' : '\n'));
    const bool comment = file != NULL && setting.size > 0 && setting.data[0] == '#';
    if (setting.size > 0 && !comment && !read_setting(&reader, setting)) {
      return false;
    }
  }
  return true;
}
