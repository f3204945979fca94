/**
 * The script of the hosted page: one player that fills it. What lets the viewer in stands in the
 * address, before or behind the `#`; behind it, it is not sent with the address of the page.
 */
import { ReelkeepPlayer } from './reelkeep-player.ts'

const player = document.querySelector('reelkeep-player')
if (player instanceof ReelkeepPlayer) {
  const behind = new URLSearchParams(location.hash.slice(1))
  const query = new URLSearchParams(location.search)
  const pass = behind.get('token') ?? query.get('token') ?? 'open'
  for (const name of ['autoplay', 'muted', 'loop']) {
    if (['1', 'true', ''].includes(query.get(name) ?? '0')) player.setAttribute(name, '')
  }
  const start = query.get('start') ?? query.get('t')
  if (start) player.setAttribute('start', start)
  if (query.get('resume') === 'off') player.setAttribute('resume', 'off')
  player.setAttribute(
    'src',
    (player.dataset['src'] ?? '').replace('{pass}', encodeURIComponent(pass)),
  )
  // There is nothing else on the page that a key could be meant for.
  document.addEventListener('keydown', (event) => {
    if (event.target === document.body) player.press(event)
  })
}
