/** Maximum size of a request body, far above any valid body: files are uploaded directly to storage. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Maximum length of a path parameter, longer than any identifier. */
export const PATH_PARAMETER_LENGTH_MAX = 128

/** Maximum time for sending a request. Clients that take longer are disconnected. */
export const REQUEST_TIMEOUT_SECONDS = 30

/** Idle timeout of connections, longer than that of common load balancers, so that they close connections first. */
export const KEEP_ALIVE_SECONDS = 75
