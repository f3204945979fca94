/** One server of a database URL. */
export type DatabaseServer = {
  /** The URL with this server only. */
  readonly url: string
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 5432

/** The only property of a server that the service can use; libpq has others. */
const ATTRIBUTES = 'target_session_attrs'
const usableAttributes = ['read-write', 'primary']

/**
 * Returns the servers of a URL like `postgres://user:password@one:5432,two:5432/database`, the format of libpq. Throws
 * if the URL is invalid.
 */
export function serversOf(databaseUrl: string): DatabaseServer[] {
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(databaseUrl) ?? []
  return hosts.split(',').map((host) => {
    const url = new URL(`${start}${host}${rest}`)
    if (!/^postgres(ql)?:$/.test(url.protocol) || !url.hostname) throw new Error('not a URL of Postgres')
    if (!usableAttributes.includes(url.searchParams.get(ATTRIBUTES) ?? 'read-write')) throw new Error(ATTRIBUTES)
    url.searchParams.delete(ATTRIBUTES)
    return { url: url.href, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || DEFAULT_PORT) }
  })
}
