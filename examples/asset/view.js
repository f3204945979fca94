/** What the page shows of an asset. Nothing here decides anything. */
import { change, element } from '../shared/elements.js'
import {
  adviceOn,
  describeEmptyScreen,
  describeFile,
  describePlan,
  describeReach,
  describeStatus,
  describeTrack,
  doingsOf,
} from './words.js'

export function showAsset(asset) {
  const { video } = asset
  element('asset').hidden = false
  change('title', asset.title)
  change('facts', describeFile(asset))
  change('id', asset.id)
  document.title = `${isUnderWay(video) ? `${video.progress} % · ` : ''}${asset.title} · Reelkeep`
  showStatus(video)
  showScreen(video)
  showPictures(video)
  showTracks(video)
}

const isUnderWay = ({ status }) => status === 'Queued' || status === 'Processing'

function showStatus(video) {
  const { state, heading } = describeStatus(video)
  element('making').dataset.state = state
  change('status', heading)
  element('overall').value = video.progress
  change('overall-percent', `${video.progress} %`)
  element('overall-block').hidden = state === 'done' || state === 'failed'
  change('advice', adviceOn(video))
  const { mayCancel, mayRetry, mayReplace } = doingsOf(video)
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
  renew('pictures', urls, (url, number) => {
    const picture = document.createElement('img')
    picture.src = url
    picture.loading = 'lazy'
    picture.alt = url === cover ? 'The cover' : `Picture ${number + 1} from the video`
    return picture
  })
}

function showTracks({ tracks, playback_url, dash_url }) {
  renew('tracks', tracks, (track) => link(track.url, describeTrack(track)))
  showAddress('hls-url', playback_url)
  showAddress('dash-url', dash_url)
}

function showAddress(id, url) {
  if (!change(id, url ?? 'Not yet')) return
  if (url) element(id).replaceChildren(link(url, url))
}

function link(url, text) {
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.textContent = text
  return anchor
}

/** Only what has changed is made anew: a picture that is there must not blink once a second. */
function renew(listId, things, make) {
  const list = element(listId)
  const key = JSON.stringify(things)
  if (list.dataset.key === key) return
  list.dataset.key = key
  const items = things.map((thing, number) => {
    const item = document.createElement('li')
    item.append(make(thing, number))
    return item
  })
  list.replaceChildren(...items)
}

/** The first picture is there: before, a player's buttons would do nothing. */
export function showPlayer(isReady) {
  element('video').hidden = !isReady
  element('placeholder').hidden = isReady
}

/** How far the video can be watched; nothing once it is whole. */
export const showReach = (seconds, isWhole, duration) =>
  change('reach', isWhole ? '' : describeReach(seconds, duration))

export const showWaiting = (isWaiting) =>
  change(
    'player-note',
    isWaiting ? 'All that is made has been played. The next seconds come soon.' : '',
  )

/** `names` of the qualities that have come since the source was loaded. */
export function showUpgrade(names) {
  element('upgrade-block').hidden = names.length === 0
  change('upgrade-text', names.length > 0 ? `Better quality has come: ${names.join(', ')}.` : '')
}

export function showPlayerFailure(detail) {
  element('reload-block').hidden = !detail
  change('reload-text', detail ? `The video does not get on (${detail}).` : '')
}

export function showAsking(text) {
  change('asking', text)
  element('cancel').disabled = text !== ''
  element('retry').disabled = text !== ''
}

export const showSilence = (isSilent) =>
  change('asking', isSilent ? 'The service does not answer. It is asked again and again.' : '')
