/** Renders the asset page. Contains no logic. */
import { change, element } from '../shared/elements.js'
import {
  actionsFor,
  adviceFor,
  describeEmptyScreen,
  describeFile,
  describePlan,
  describeReach,
  describeStatus,
  describeTrack,
} from './messages.js'

export function showAsset(asset) {
  const { video } = asset
  element('asset').hidden = false
  change('title', asset.title)
  change('facts', describeFile(asset))
  change('id', asset.id)
  document.title = `${isInProgress(video) ? `${video.progress} % · ` : ''}${asset.title} · Reelkeep`
  showStatus(video)
  showScreen(video)
  showPictures(video)
  showTracks(video)
}

const isInProgress = ({ status }) => status === 'Queued' || status === 'Processing'

function showStatus(video) {
  const { state, heading } = describeStatus(video)
  element('making').dataset.state = state
  change('status', heading)
  element('overall').value = video.progress
  change('overall-percent', `${video.progress} %`)
  element('overall-block').hidden = state === 'done' || state === 'failed'
  change('advice', adviceFor(video))
  const { mayCancel, mayRetry, mayReplace } = actionsFor(video)
  element('cancel').hidden = !mayCancel
  element('retry').hidden = !mayRetry
  element('another').hidden = !mayReplace
}

function showScreen({ cover_thumbnail_url: cover, width, height, ...video }) {
  element('placeholder').dataset.state = video.status === 'Processing' ? 'going' : 'still'
  change('placeholder-text', describeEmptyScreen(video))
  if (width && height) element('screen').style.aspectRatio = `${width} / ${height}`
  if (cover && element('video').poster !== cover) element('video').poster = cover
}

export const showPlan = (plan) => change('plan-text', describePlan(plan))

function showPictures({ thumbnails, cover_thumbnail_url: cover }) {
  const urls = [...new Set([cover, ...thumbnails])].filter(Boolean)
  element('pictures-block').hidden = urls.length === 0
  updateList('pictures', urls, (url, number) => {
    const picture = document.createElement('img')
    picture.src = url
    picture.loading = 'lazy'
    picture.alt = url === cover ? 'Cover' : `Thumbnail ${number + 1}`
    return picture
  })
}

function showTracks({ tracks, playback_url, dash_url }) {
  updateList('tracks', tracks, (track) => link(track.url, describeTrack(track)))
  showAddress('hls-url', playback_url)
  showAddress('dash-url', dash_url)
}

function showAddress(id, url) {
  if (!change(id, url ?? 'Not available yet')) return
  if (url) element(id).replaceChildren(link(url, url))
}

function link(url, text) {
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.textContent = text
  return anchor
}

/** Rebuilds the list only if the items have changed, so that images do not flicker. */
function updateList(listId, entries, create) {
  const list = element(listId)
  const key = JSON.stringify(entries)
  if (list.dataset.key === key) return
  list.dataset.key = key
  const items = entries.map((entry, index) => {
    const item = document.createElement('li')
    item.append(create(entry, index))
    return item
  })
  list.replaceChildren(...items)
}

/** Shows the video once its first frame is loaded. */
export function showPlayer(isReady) {
  element('video').hidden = !isReady
  element('placeholder').hidden = isReady
}

/** Shows how much of the video is playable; empty once it is complete. */
export const showReach = (seconds, isComplete, duration) =>
  change('reach', isComplete ? '' : describeReach(seconds, duration))

export const showWaiting = (isWaiting) =>
  change('player-note', isWaiting ? 'Waiting for the next part to be encoded.' : '')

/** `names`: qualities that were encoded after the manifest was loaded. */
export function showUpgrade(names) {
  element('upgrade-block').hidden = names.length === 0
  change('upgrade-text', names.length > 0 ? `Higher quality available: ${names.join(', ')}.` : '')
}

export function showPlayerFailure(detail) {
  element('reload-block').hidden = !detail
  change('reload-text', detail ? `Playback error: ${detail}.` : '')
}

export function showRequesting(text) {
  change('asking', text)
  element('cancel').disabled = text !== ''
  element('retry').disabled = text !== ''
}

export const showUnreachable = (isUnreachable) =>
  change('asking', isUnreachable ? 'The service does not respond. Retrying…' : '')
