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
  search: icon('M7.2 12.4a5.2 5.2 0 1 0 0-10.4 5.2 5.2 0 0 0 0 10.4zM11 11l3.2 3.2'),
  library: icon(
    'M2.5 4.5h11c.3 0 .5.2.5.5v7.5c0 .3-.2.5-.5.5h-11a.5.5 0 0 1-.5-.5V5c0-.3.2-.5.5-.5zM4 2.5h8M6.8 7v3.4L9.8 8.7z',
  ),
  upload: icon('M8 10.5V2.5M4.8 5.6 8 2.4l3.2 3.2M2.5 10v3c0 .3.2.5.5.5h10c.3 0 .5-.2.5-.5v-3'),
  activity: icon('M1.5 8h3l2-5 3 10 2-5h3'),
  settings: icon(
    'M2 4.5h6.5M12.5 4.5H14M2 11.5h1.5M7.5 11.5H14M10.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  ),
  folder: icon('M1.8 4c0-.6.4-1 1-1h3.1l1.6 1.8h5.7c.6 0 1 .4 1 1v6.4c0 .6-.4 1-1 1H2.8c-.6 0-1-.4-1-1z'),
  menu: icon('M2.5 4.5h11M2.5 8h11M2.5 11.5h11'),
  chevronDown: icon('M4.5 6.5 8 10l3.5-3.5'),
  chevronRight: icon('M6.5 4.5 10 8l-3.5 3.5'),
  expand: icon('M5 6.5 8 3.5l3 3M5 9.5l3 3 3-3'),
  person: icon('M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.8 13.8c.5-2.4 2.6-3.8 5.2-3.8s4.7 1.4 5.2 3.8'),
  keyboard: icon(
    'M2 4.5h12c.3 0 .5.2.5.5v6.5c0 .3-.2.5-.5.5H2a.5.5 0 0 1-.5-.5V5c0-.3.2-.5.5-.5zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5.5 9.7h5',
  ),
  book: icon(
    'M8 4c-1.5-1-3.5-1.3-6-1.3v9.6c2.5 0 4.500.3 6 1.3 1.500-1 3.500-1.300 6-1.300V2.700C11.500 2.700 9.500 3 8 4zm0 0v9.600',
  ),
  signOut: icon('M6.500 2.500H3.500c-.6 0-1 .4-1 1v9c0 .6.4 1 1 1h3M10 11l3-3-3-3M13 8H6.500'),
  more: icon('M3.5 8h.01M8 8h.01M12.5 8h.01'),
  copy: icon('M5.5 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z'),
  check: icon('M3 8.500l3.200 3.200L13 4.800'),
  arrow: icon('M3 8h10M9 4l4 4-4 4'),
  edit: icon('M10.8 2.6l2.6 2.6L5.6 13H3v-2.600zM9.200 4.200l2.600 2.600'),
  move: icon(
    'M1.800 12V4c0-.6.4-1 1-1h3.100l1.600 1.800h5.700c.6 0 1 .4 1 1V12c0 .6-.4 1-1 1H2.800c-.6 0-1-.4-1-1zM6 9h4M8.500 7.200 10.300 9l-1.800 1.800',
  ),
  grid: icon('M2.500 2.500h4.500v4.500H2.500zM9 2.500h4.500v4.500H9zM2.500 9h4.500v4.500H2.500zM9 9h4.500v4.500H9z'),
  rows: icon('M2.500 4h11M2.500 8h11M2.500 12h11'),
  filter: icon('M2 3.500h12M4.500 8h7M6.500 12.500h3'),
  sort: icon('M5 3v10M2.500 10.500 5 13l2.500-2.500M11 13V3M8.500 5.500 11 3l2.500 2.500'),
  tag: icon('M2.500 2.500h5l6 6-5 5-6-6zM5.300 5.300h.01'),
  restore: icon('M2.500 6h7a4 4 0 0 1 0 8H6M5.500 3l-3 3 3 3'),
} as const

export const Logo = ({ size = 24 }: { readonly size?: number }) => (
  <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true">
    <rect x="1" y="1" width="18" height="18" rx="5.5" fill="currentColor" />
    <circle cx="10" cy="10" r="5.2" fill="none" stroke="#fff" strokeWidth="1.7" />
    <circle cx="10" cy="10" r="1.5" fill="#fff" />
  </svg>
)
