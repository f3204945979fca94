/** Exercises the SDK in each runtime, against the real service. */
import { Reelkeep, verifyWebhook } from 'reelkeep'

export async function tryOut({ settings, delivery, video }) {
  const client = new Reelkeep(settings)
  const { uuid } = await client.folders.create({ title: 'From a runtime' })
  const titles = []
  for await (const { title } of client.folders.list({ limit: 1 })) titles.push(title)
  let streamed
  for await (const event of client.events.stream({ after: 0, types: 'folder.*' })) {
    streamed = event
    if (event.data.uuid === uuid) break
  }
  const error = await client.folders.read('00000000000').catch(({ name, code }) => ({ name, code }))
  const { type } = await verifyWebhook(delivery.body, delivery.headers, delivery.secret)
  const forged = await verifyWebhook(`${delivery.body} `, delivery.headers, delivery.secret).catch(
    ({ name }) => name,
  )
  const { uploaded, waitedFor } = await uploadAndWait(client, video)
  return {
    titles,
    streamed: streamed.type,
    error,
    verified: type,
    forged,
    uploaded,
    waitedFor,
  }
}

async function uploadAndWait(client, video) {
  const file = new Blob([Uint8Array.from(atob(video), (character) => character.charCodeAt(0))])
  const input = { title: 'A Blob', resolutions: ['240p'] }
  let sent = 0
  const onProgress = ({ sentBytes }) => {
    sent = sentBytes
  }
  const { id, title, bytes } = await client.uploads.send(file, input, { onProgress })
  const asset = await client.assets.waitUntilCompleted(id, { timeoutSeconds: 120 })
  const uploaded = { title, isWhole: bytes === file.size, isAllReported: sent === file.size }
  return { uploaded, waitedFor: asset.video.status }
}
