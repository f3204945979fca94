/**
 * `x-amz-copy-source` on the URL of a part: storage would copy the named object into the part, with the rights of the
 * key that signed the URL.
 */
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { ResponseOf, uploadSessions } from '@reelkeep/contract'
import { type Caller, formOf, openSession, openUploadFixture, postByFetch } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it } from 'vitest'

const fixture = await opened(openUploadFixture('partcopies'))
const { STORAGE_UPLOADS_BUCKET: uploads, STORAGE_MEDIA_BUCKET: media } = fixture.testApi.context.config
const file = Buffer.from('a file of another organization')

type Opened = uploadSessions.NewUploadSession
type Signed = ResponseOf<typeof uploadSessions.signUploadParts>

let attacker: Caller
let victim: Caller
beforeAll(async () => {
  attacker = await fixture.testApi.newOrganization()
  victim = await fixture.testApi.newOrganization()
})

async function signPart(caller: Caller, { upload_session }: Opened): Promise<string> {
  const path = `assets/upload-sessions/${upload_session.uuid}/parts/`
  const { body } = await caller.post<Signed>(path, { file_size_bytes: file.length, numbers: [1] })
  return body.parts[0]?.url ?? ''
}

/** Asks storage to copy the object into a part of the attacker. Returns the status and the error code. */
async function copyPart(source: string): Promise<string> {
  const url = await signPart(attacker, await openSession(attacker))
  const headers = { 'x-amz-copy-source': `/${source}` }
  const response = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(file) })
  const code = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? ''
  return `${response.status} ${code}`
}

describe('the URL of a part does not reveal whether a file of another organization exists', () => {
  it('if the file was uploaded by form', async () => {
    const { client_payload } = await openSession(victim)
    expect((await postByFetch(formOf(client_payload, file))).status).toBeLessThan(300)
    expect(await copyPart(`${uploads}/${client_payload.key}-other`)).toBe('403 AccessDenied')
    expect(await copyPart(`${uploads}/${client_payload.key}`)).toBe('403 AccessDenied')
  })

  it('if the file was uploaded in parts', async () => {
    const session = await openSession(victim)
    const url = await signPart(victim, session)
    expect((await fetch(url, { method: 'PUT', body: new Uint8Array(file) })).status).toBe(200)
    const path = `assets/upload-sessions/${session.upload_session.uuid}/complete/`
    expect(await victim.post(path)).toMatchObject({ status: 200, body: { status: 'Completed' } })
    expect(await copyPart(`${uploads}/${session.client_payload.key}`)).toBe('403 AccessDenied')
  })

  it('if it is a file in the media bucket', async () => {
    await fixture.objects.client.send(new PutObjectCommand({ Bucket: media, Key: 'video/00000.m4s', Body: file }))
    expect(await copyPart(`${media}/video/00001.m4s`)).toBe('403 AccessDenied')
    expect(await copyPart(`${media}/video/00000.m4s`)).toBe('403 AccessDenied')
  })
})
