import { type Container, hasTimeOfItsStreams } from '../probe/container.ts'
import type { Probe } from '../probe/probe-facts.ts'

/** What must be known of a video to take something out of it that keeps its time. */
export type TimedVideo = {
  readonly container: Container
  readonly video: Pick<Probe['video'], 'streamIndex'>
}

/** Asks for the picture as well, so that the time begins where it does for who shows it. Its packets go nowhere. */
export const pictureArguments = ({ container, video }: TimedVideo) =>
  hasTimeOfItsStreams(container)
    ? ['-map', `0:${video.streamIndex}`, '-c:v', 'copy', '-f', 'null', '-']
    : []
