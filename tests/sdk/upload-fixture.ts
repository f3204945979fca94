/** The service as a process with its own bucket, both behind a fault proxy, and a client. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '@reelkeep/contract'
import {
  ApiProcess,
  newOrganization,
  Objects,
  openOwner,
  StorageRelay,
  Superuser,
  setUpUploads,
  stackEnv,
} from '@reelkeep/testkit'
import { Reelkeep } from 'reelkeep'
import { FaultProxy } from './fault-proxy.ts'

export async function openUploadFixture() {
  await using opening = new AsyncDisposableStack()
  const env = stackEnv()
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-sdk-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true }))

  const bucket = `sdk-${randomUUID()}`
  const relay = opening.use(await StorageRelay.open(env.STORAGE_ENDPOINT))
  const storageProxy = opening.use(await FaultProxy.open(relay.url))
  const settings = { STORAGE_PUBLIC_ENDPOINT: storageProxy.url, STORAGE_UPLOADS_BUCKET: bucket }
  await setUpUploads(env, settings)
  const api = opening.use(await ApiProcess.start(settings))
  const apiProxy = opening.use(await FaultProxy.open(api.baseUrl))
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
    /** Both are between the client and storage: the proxy counts bytes, the relay sees requests. */
    storageProxy,
    relay,
    apiProxy,
    reset: () => {
      relay.forget()
      for (const proxy of [storageProxy, apiProxy]) proxy.reset()
    },
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
