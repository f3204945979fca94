import { type Container, isTimeRelativeToStreams } from '../probe/container/container.ts'
import type { Probe } from '../probe/facts/probe-facts.ts'

/** Properties of a video that are needed to extract a stream with its timing. */
export type TimedVideo = {
  readonly container: Container
  readonly video: Pick<Probe['video'], 'streamIndex'>
}

/** Also requests the video stream, so that time 0 is the same as in players. Its packets are discarded. */
export const videoStreamArguments = ({ container, video }: TimedVideo) =>
  isTimeRelativeToStreams(container) ? ['-map', `0:${video.streamIndex}`, '-c:v', 'copy', '-f', 'null', '-'] : []
