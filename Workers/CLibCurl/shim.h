// libcurl's easy and multi interfaces, and zlib. Swift cannot call functions with variable arguments: here are the forms of
// curl_easy_setopt and curl_easy_getinfo that it needs, by type of the last argument.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <zlib.h>

static inline CURLcode clibcurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl keeps a copy.
static inline CURLcode clibcurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode clibcurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode clibcurl_set_callback(CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

// Nothing but http and https, by the option of this version of libcurl.
static inline CURLcode clibcurl_set_web_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// The end of a transfer does not wait for its name server; the thread that does is left to itself.
static inline void clibcurl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
#endif
}

static inline CURLMcode clibcurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline long clibcurl_number(CURL *handle, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

static inline curl_off_t clibcurl_size(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

// The caller frees the list.
static inline struct curl_slist *clibcurl_list(CURL *handle, CURLINFO info) {
    struct curl_slist *value = NULL;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

// inflateInit2 is a macro.
static inline int clibcurl_inflate_begin(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
