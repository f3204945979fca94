import { type StackEnv, stackEnv } from '../processes/stack.ts'
import { Publisher, type VideoRef } from './published-video.ts'
import { shortPlan } from './short-plan.ts'

const SEGMENTS = 4

/** Does to an asset with a file what processing does: it has a rendition of 16 seconds, and is completed. */
export async function processAsset(video: VideoRef, env: StackEnv = stackEnv()): Promise<void> {
  await using publisher = await Publisher.open(env)
  const plan = shortPlan(SEGMENTS)
  await publisher.plan(video, plan)
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: Array.from({ length: SEGMENTS }, (_, number) => ({ body: `segment ${number}`, seconds: 4 })),
  })
  await publisher.setLength(video, plan.durationSeconds)
  await publisher.setStatus(video, 'Completed')
}
