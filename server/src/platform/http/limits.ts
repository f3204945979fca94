/** Maximum size of a request body, far above any valid body: files are uploaded directly to storage. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Limits of the JSON in a request body, far above every valid body: 3 levels, 6 fields per object, 1,000 values. */
export const JSON_DEPTH_MAX = 32
export const JSON_FIELDS_MAX = 64
export const JSON_VALUES_MAX = 10_000

/** Maximum length of a path parameter, longer than any identifier. */
export const PATH_PARAMETER_LENGTH_MAX = 128

/** Maximum time for sending a request. Clients that take longer are disconnected. */
export const REQUEST_TIMEOUT_SECONDS = 30

/** Idle timeout of connections, longer than that of common load balancers, so that they close connections first. */
export const KEEP_ALIVE_SECONDS = 75
