/** Far above any body the API takes (files never pass through it); it keeps one request small. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Longer than any identifier; an address with a longer part names nothing. */
export const PATH_PARAMETER_LENGTH_MAX = 128

/** A caller that takes longer to send a request is cut off. */
export const REQUEST_TIMEOUT_SECONDS = 30

/** Longer than the idle time of common load balancers, so that they and not we close a connection. */
export const KEEP_ALIVE_SECONDS = 75
