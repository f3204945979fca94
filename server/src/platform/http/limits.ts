/** Maximum size of a request body, far above any valid body: files are uploaded directly to storage. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Maximum length of a path parameter, longer than any identifier. */
export const PATH_PARAMETER_LENGTH_MAX = 128

/** Clients that take longer to send a request are disconnected. */
export const REQUEST_TIMEOUT_SECONDS = 30

/** Longer than the idle timeout of common load balancers, so that they close connections first. */
export const KEEP_ALIVE_SECONDS = 75
