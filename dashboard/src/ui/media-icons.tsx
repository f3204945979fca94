import { icon } from './icons.tsx'

/** Icons of the pages about videos. */
export const mediaIcons = {
  edit: icon('M3 13l.6-2.8 7.2-7.2a1.5 1.5 0 0 1 2.2 2.2L5.800 12.400z'),
  play: icon('M5 3v10l8-5z'),
  share: icon(
    'M11.500 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM4.500 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM11.500 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6.300 7l3.500-2M6.300 9l3.500 2',
  ),
  download: icon('M8 2.500v8M4.800 7.400 8 10.600l3.200-3.200M2.500 13.500h11'),
  film: icon('M2.500 3h11v10h-11zM5.500 3v10M10.500 3v10M2.500 6.300h3M2.500 9.700h3M10.500 6.300h3M10.500 9.700h3'),
  image: icon('M2.500 3h11v10h-11zM2.500 11l3.500-3.500 3 3 1.500-1.500 3 2.500M10.500 6.500h.01'),
  captions: icon('M2 3.500h12v9H2zM7 7a1.600 1.600 0 1 0 0 2M12 7a1.600 1.600 0 1 0 0 2'),
  retry: icon('M13 8a5 5 0 1 1-1.500-3.500L13 6M13 2.500V6H9.500'),
  lock: icon('M4 7h8v6.500H4zM5.500 7V5a2.500 2.500 0 0 1 5 0v2'),
  history: icon('M2.700 8a5.300 5.300 0 1 0 1.600-3.800L2.700 5.600M2.700 2.500v3.100h3.100M8 5v3.200l2.200 1.300'),
} as const
