/** The service as a process and a bucket of its own, each behind a line that can be cut, and a client. */
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
import { CountedLine } from './counted-line.ts'

export async function openUploadStage() {
  await using opening = new AsyncDisposableStack()
  const env = stackEnv()
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-sdk-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true }))

  const bucket = `sdk-${randomUUID()}`
  const relay = opening.use(await StorageRelay.open(env.STORAGE_ENDPOINT))
  const storageLine = opening.use(await CountedLine.open(relay.url))
  const settings = { STORAGE_PUBLIC_ENDPOINT: storageLine.url, STORAGE_UPLOADS_BUCKET: bucket }
  await setUpUploads(env, settings)
  const api = opening.use(await ApiProcess.start(settings))
  const apiLine = opening.use(await CountedLine.open(api.baseUrl))
  await using owner = openOwner()
  const { organizationId: organization, token } = await newOrganization(owner)
  const superuser = opening.use(await Superuser.open(env))
  const objects = opening.use(new Objects(env, bucket))

  const stage = {
    client: new Reelkeep({ url: apiLine.url, organization, token }),
    access: { organization, token },
    /** Of another organization. */
    newClient: async (...scopes: Scope[]) => {
      await using owner = openOwner()
      const other = await newOrganization(owner, scopes)
      return new Reelkeep({
        url: apiLine.url,
        organization: other.organizationId,
        token: other.token,
      })
    },
    /** Between the client and storage, one behind the other: bytes, and requests. */
    storageLine,
    relay,
    apiLine,
    forget: () => {
      for (const each of [relay, storageLine, apiLine]) each.forget()
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
    /** From now on the session's time has run out. */
    runOut: (uuid: string) =>
      superuser.query('update upload_sessions set expires_at = now() where uuid = $1', [uuid]),
    /** The one file that storage holds of the asset. */
    stored: async (assetId: string) => {
      const versions = await objects.versions(`${organization}/${assetId}/`)
      const [version] = versions
      if (!version || versions.length > 1) throw new Error(`Storage has ${versions.length} files`)
      return objects.read(version)
    },
  }
  const open = opening.move()
  return { ...stage, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
