/** Storage quotes ETags in some responses and not in others. */
export const unquoted = (etag: string) => etag.replaceAll('"', '')
