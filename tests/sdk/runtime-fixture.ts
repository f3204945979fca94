/** The service with a worker, a folder, a webhook delivery, and a video to upload, for programs in other runtimes. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  ApiProcess,
  newOrganization,
  openOwner,
  resetDatabase,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { Reelkeep } from 'reelkeep'
import { Webhook } from 'standardwebhooks'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

/** The result of `every-runtime.js` in every runtime. */
export const expected = {
  titles: ['Already there', 'From a runtime'],
  streamed: 'folder.created',
  error: { name: 'NotFoundError', code: 'folder_not_found' },
  verified: 'folder.created',
  forged: 'SignatureError',
  uploaded: { title: 'A Blob', isWhole: true, isAllReported: true },
  waitedFor: 'Completed',
}

/** Uses its own database, because its worker claims every job there. `origin` is the origin of test pages. */
export async function openRuntimeFixture(name: string, origin?: string) {
  await using opening = new AsyncDisposableStack()
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const bucket = { STORAGE_UPLOADS_BUCKET: `sdk-${randomUUID()}` }
  await setUpUploads(env, { ...bucket, ...(origin && { UPLOAD_ORIGINS: origin }) })
  const api = opening.use(await ApiProcess.start({ ...bucket, ...(origin && { API_ORIGINS: origin }) }, env))
  opening.use(await WorkerProcess.start({ settings: bucket, env }))
  const video = makeVideo()
  const open = opening.move()
  return {
    /** Creates the input of `every-runtime.js`, with an organization of its own. */
    async newTask() {
      await using owner = openOwner(env)
      const { organizationId: organization, token } = await newOrganization(owner)
      const settings = { url: api.baseUrl, organization, token }
      await new Reelkeep(settings).folders.create({ title: 'Already there' })
      return { settings, delivery: signedDelivery(), video }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Creates a small video in Base64, so that it can be passed to any runtime. */
function makeVideo(): string {
  const testVideo = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=320x240:r=25', '-pix_fmt', 'yuv420p']
  const asStream = ['-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov', '-']
  return execFileSync('ffmpeg', ['-loglevel', 'error', ...testVideo, ...asStream], {
    encoding: 'base64',
  })
}

function signedDelivery() {
  const body = JSON.stringify({ id: '6f1c', number: 42, type: 'folder.created', data: {} })
  const now = new Date()
  const headers = {
    'webhook-id': '6f1c',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('6f1c', now, body),
  }
  return { body, headers, secret }
}
