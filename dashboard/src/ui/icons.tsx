import type { ReactNode } from 'react'

/** An outline icon on a grid of 16 units. The text beside it, or the name of its button, says what it means. */
const icon = (path: string, size = 16): ReactNode => (
  <svg viewBox="0 0 16 16" width={size} height={size} fill="none" stroke="currentColor" aria-hidden="true">
    <path d={path} strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
)

export const icons = {
  passkey: icon(
    'M6 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM1.5 14c0-2.6 2-4.5 4.5-4.5.8 0 1.5.2 2.2.5M12 10.5a2 2 0 1 0-.7-3.9A2 2 0 0 0 12 10.5zm0 0v4l-1.2-1M12 12.7h1.3',
  ),
  company: icon(
    'M3 14V3.5c0-.6.4-1 1-1h5c.6 0 1 .4 1 1V14M10 6.5h2c.6 0 1 .4 1 1V14M1.5 14h13M5.5 5.5h2M5.5 8h2M5.5 10.5h2',
  ),
  eye: icon('M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z'),
  eyeOff: icon(
    'M2.5 2.5l11 11M6.6 6.6a2 2 0 0 0 2.8 2.8M4.5 4.7C2.6 6 1.5 8 1.5 8S4 12.5 8 12.5c1.3 0 2.4-.4 3.4-1M6.7 3.7c.4-.1.8-.2 1.3-.2 4 0 6.5 4.5 6.5 4.5s-.5 1-1.5 2',
  ),
  warning: icon(
    'M8 5.5v3.5M8 11.3h.01M7 2.6 1.6 12.2c-.4.8.1 1.6 1 1.6h10.8c.9 0 1.4-.9 1-1.6L9 2.6a1.15 1.15 0 0 0-2 0z',
  ),
  done: icon('M3 8.5l3.2 3.2L13 4.8'),
  capsLock: icon('M8 2.5 2.5 8.5h3v2.5h5V8.5h3zM5.5 13.5h5'),
  close: icon('M4 4l8 8M12 4l-8 8'),
  plus: icon('M8 3v10M3 8h10'),
  trash: icon('M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9'),
  laptop: icon('M3.5 3.5h9c.3 0 .5.2.5.5v6h-10V4c0-.3.2-.5.5-.5zM1.5 12.5h13'),
  phone: icon('M5 1.8h6c.6 0 1 .4 1 1v10.4c0 .6-.4 1-1 1H5c-.6 0-1-.4-1-1V2.8c0-.6.4-1 1-1zM7.5 12h1'),
  arrow: icon('M3 8h10M9 4l4 4-4 4'),
} as const

export const Logo = ({ size = 24 }: { readonly size?: number }) => (
  <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true">
    <rect x="1" y="1" width="18" height="18" rx="5.5" fill="currentColor" />
    <circle cx="10" cy="10" r="5.2" fill="none" stroke="#fff" strokeWidth="1.7" />
    <circle cx="10" cy="10" r="1.5" fill="#fff" />
  </svg>
)
