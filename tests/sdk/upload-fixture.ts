/** The service as a process with its own bucket, a client, and fault proxies in front of the service and storage. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '@reelkeep/contract'
import {
  ApiProcess,
  afterUpstreamBytes,
  type Chunk,
  HttpProxy,
  newOrganization,
  Objects,
  openOwner,
  resetPeer,
  Superuser,
  setUpUploads,
  stackEnv,
  TcpProxy,
  timeout,
} from '@reelkeep/testkit'
import { Reelkeep } from 'reelkeep'

export async function openUploadFixture() {
  await using opening = new AsyncDisposableStack()
  const env = stackEnv()
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-sdk-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true }))

  const bucket = `sdk-${randomUUID()}`
  const storageRequests = opening.use(await HttpProxy.open(env.STORAGE_ENDPOINT))
  const storageProxy = opening.use(await TcpProxy.open(storageRequests.url))
  const settings = { STORAGE_PUBLIC_ENDPOINT: storageProxy.url, STORAGE_UPLOADS_BUCKET: bucket }
  await setUpUploads(env, settings)
  const api = opening.use(await ApiProcess.start(settings))
  const apiProxy = opening.use(await TcpProxy.open(api.baseUrl))
  await using owner = openOwner()
  const { organizationId: organization, token } = await newOrganization(owner)
  const superuser = opening.use(await Superuser.open(env))
  const objects = opening.use(new Objects(env, bucket))

  const fixture = {
    client: new Reelkeep({ url: apiProxy.url, organization, token }),
    access: { organization, token },
    /** A client of another organization. */
    newClient: async (...scopes: Scope[]) => {
      await using owner = openOwner()
      const other = await newOrganization(owner, scopes)
      return new Reelkeep({
        url: apiProxy.url,
        organization: other.organizationId,
        token: other.token,
      })
    },
    /** Proxy for faults of connections to storage. `storageRequests` is another one, for faults of single requests. */
    storageProxy,
    storageRequests,
    apiProxy,
    reset: () => {
      for (const proxy of [storageRequests, storageProxy, apiProxy]) proxy.reset()
    },
    ...faultsOf(storageProxy),
    newFile: (name: string, bytes: number) => {
      const content = randomBytes(bytes)
      const path = join(folder, name)
      writeFileSync(path, content)
      return { path, content }
    },
    countSessions: async () => {
      const [row] = await superuser.query<{ count: number }>(
        'select count(*)::int from upload_sessions where organization_id = $1',
        [organization],
      )
      return row?.count
    },
    /** Makes the session expire now. */
    expireSession: (uuid: string) =>
      superuser.query('update upload_sessions set expires_at = now() where uuid = $1', [uuid]),
    /** The only stored file of the asset. */
    stored: async (assetId: string) => {
      const versions = await objects.versions(`${organization}/${assetId}/`)
      const [version] = versions
      if (!version || versions.length > 1) throw new Error(`Storage has ${versions.length} files`)
      return objects.read(version)
    },
  }
  const open = opening.move()
  return { ...fixture, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Faults of the connection to storage. */
const faultsOf = (storageProxy: TcpProxy) => ({
  /** Resets all connections when clients have sent this many bytes, and refuses new ones for the given time. */
  disconnectAt: (bytes: number, seconds: number) => {
    const action = () => {
      storageProxy.disable()
      setTimeout(() => storageProxy.enable(), seconds * 1000)
    }
    storageProxy.rules.push({ match: afterUpstreamBytes(bytes), action, times: 1 })
  },
  /** When clients have sent this many bytes, discards all further data on the current connection. */
  stallAt: (bytes: number) => {
    let stalled: Chunk['connection'] | undefined
    const match = (chunk: Chunk) => {
      if (afterUpstreamBytes(bytes)(chunk)) stalled ??= chunk.connection
      return chunk.connection === stalled
    }
    storageProxy.rules.push({ match, action: timeout })
  },
  /** Changes one byte when clients have sent this many bytes. */
  corruptAt: (bytes: number) => {
    const action = (chunk: Chunk) => {
      const last = chunk.bytes.length - 1
      chunk.bytes[last] = (chunk.bytes[last] ?? 0) ^ 1
      return chunk.forward()
    }
    storageProxy.rules.push({ match: afterUpstreamBytes(bytes), action, times: 1 })
  },
  /** Forwards the next requests but drops their responses. */
  dropResponses: (times: number) => {
    const match = ({ direction, bytes }: Chunk) =>
      direction === 'downstream' && (!bytes.includes('100 Continue') || bytes.includes('HTTP/1.1 2'))
    storageProxy.rules.push({ match, action: resetPeer, times })
  },
})
