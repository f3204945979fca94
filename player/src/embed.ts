/**
 * Script of the hosted embed page: one player that fills the page. The playback token comes from the fragment
 * or the query of the URL; in the fragment it is not sent to the server with the page request.
 */
import { ReelkeepPlayer } from './reelkeep-player.ts'

const player = document.querySelector('reelkeep-player')
if (player instanceof ReelkeepPlayer) {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const query = new URLSearchParams(location.search)
  const token = fragment.get('token') ?? query.get('token') ?? 'open'
  for (const name of ['autoplay', 'muted', 'loop']) {
    if (['1', 'true', ''].includes(query.get(name) ?? '0')) player.setAttribute(name, '')
  }
  const start = query.get('start') ?? query.get('t')
  if (start) player.setAttribute('start', start)
  if (query.get('resume') === 'off') player.setAttribute('resume', 'off')
  player.setAttribute('src', (player.dataset['src'] ?? '').replace('{token}', encodeURIComponent(token)))
  // The page contains only the player, so it receives all key presses.
  document.addEventListener('keydown', (event) => {
    if (event.target === document.body) player.press(event)
  })
}
