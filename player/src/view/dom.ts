/** Helpers for creating DOM elements and icons. */
type Attributes = Record<string, string | boolean | number>

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== false) created.setAttribute(attribute, value === true ? '' : String(value))
  }
  created.append(...children)
  return created
}

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an SVG icon. Paths that start with `fill ` are filled, all others are stroked. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  for (const data of icons[name]) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', data.replace('fill ', ''))
    if (data.startsWith('fill ')) path.setAttribute('class', 'filled')
    svg.append(path)
  }
  return svg
}

export type IconName = keyof typeof icons

const speaker = 'fill M4 9.5v5h3.2L12 19V5L7.2 9.5z'

const icons = {
  play: ['fill M8 5.2v13.6c0 .8.9 1.3 1.6.8l10-6.8c.6-.4.6-1.2 0-1.6l-10-6.8C8.900 3.900 8 4.400 8 5.200z'],
  pause: ['fill M7 5h3.500v14H7z', 'fill M13.500 5H17v14h-3.500z'],
  replay: ['M4.500 12a7.500 7.500 0 1 0 2.400-5.500', 'M4.500 4v4.500H9'],
  loud: [speaker, 'M15.500 9a4.200 4.200 0 0 1 0 6', 'M18 6.200a8.200 8.200 0 0 1 0 11.600'],
  quiet: [speaker, 'M15.500 9a4.200 4.200 0 0 1 0 6'],
  muted: [speaker, 'M16 9.500l5 5', 'M21 9.500l-5 5'],
  captions: [
    'M5 5.500h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2z',
    'M10.500 10.600a2.100 2.100 0 1 0 0 2.800',
    'M17.300 10.600a2.100 2.100 0 1 0 0 2.800',
  ],
  chapters: [
    'M9 6.500h11',
    'M9 12h11',
    'M9 17.500h11',
    'fill M3.500 5h3v3h-3z',
    'fill M3.500 10.500h3v3h-3z',
    'fill M3.500 16h3v3h-3z',
  ],
  transcript: [
    'M4 5.500h16',
    'M4 10h9',
    'M4 14.500h6',
    'M16 18.500a3.800 3.800 0 1 0 0-7.600 3.800 3.800 0 0 0 0 7.600z',
    'M18.800 17.500l2.700 2.700',
  ],
  settings: ['M4 7h9', 'M17 7h3', 'M15 4.800v4.400', 'M4 17h3', 'M11 17h9', 'M9 14.800v4.400', 'M4 12h16'],
  picture: [
    'M20 10.500v-4a1.500 1.500 0 0 0-1.500-1.500h-14A1.500 1.500 0 0 0 3 6.500v10A1.500 1.500 0 0 0 4.500 18H9',
    'fill M12.500 13h8a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1h-8a1 1 0 0 1-1-1v-5a1 1 0 0 1 1-1z',
  ],
  full: [
    'M4 9V5.500A1.500 1.500 0 0 1 5.500 4H9',
    'M15 4h3.500A1.500 1.500 0 0 1 20 5.500V9',
    'M20 15v3.500a1.500 1.500 0 0 1-1.500 1.500H15',
    'M9 20H5.500A1.500 1.500 0 0 1 4 18.500V15',
  ],
  small: [
    'M9 4v3.500A1.500 1.500 0 0 1 7.500 9H4',
    'M20 9h-3.500A1.500 1.500 0 0 1 15 7.500V4',
    'M15 20v-3.500a1.500 1.500 0 0 1 1.500-1.500H20',
    'M4 15h3.500A1.500 1.500 0 0 1 9 16.500V20',
  ],
  speed: ['M5 18a8.500 8.500 0 1 1 14 0', 'M12 14l4-5'],
  quality: [
    'M3.500 6h17v12h-17z',
    'M7 9.500v5',
    'M10.500 9.500v5',
    'M7 12h3.500',
    'M14 9.500v5h1a2.500 2.500 0 0 0 0-5z',
  ],
  keyboard: [
    'M3 6.500h18v11H3z',
    'M7 14.500h10',
    'M6.500 10.200h.1',
    'M10 10.200h.1',
    'M14 10.200h.1',
    'M17.500 10.200h.1',
  ],
  back: ['M14.500 6l-6 6 6 6'],
  more: ['M9.500 6l6 6-6 6'],
  chosen: ['M5 12.500l4.500 4.500L19 7.500'],
  close: ['M6 6l12 12', 'M18 6L6 18'],
  link: [
    'M10 14a4 4 0 0 0 6 .400l2.500-2.500a4 4 0 0 0-5.700-5.700L11.500 7.500',
    'M14 10a4 4 0 0 0-6-.400L5.500 12.100a4 4 0 0 0 5.700 5.700l1.300-1.300',
  ],
  wait: ['M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z', 'M12 8v4.500l3 2'],
  offline: [
    'M4 9.500a12 12 0 0 1 16 0',
    'M7.500 13a7 7 0 0 1 9 0',
    'fill M12 15.500a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600z',
    'M4 4l16 16',
  ],
  lock: ['M6 11h12v8.500H6z', 'M8.500 11V8a3.500 3.500 0 0 1 7 0v3'],
  missing: ['M4 6h16v12H4z', 'M9 10l6 4.500', 'M15 10l-6 4.500'],
} as const satisfies Record<string, readonly string[]>
export function iconButton(name: IconName, label: string, className = ''): HTMLButtonElement {
  const button = element('button', { type: 'button', class: `button ${className}`.trim() })
  button.append(icon(name))
  setLabel(button, label)
  return button
}

export function setLabel(button: HTMLElement, label: string): void {
  button.setAttribute('aria-label', label)
  button.dataset['tip'] = label
}

/** Replaces the icon of a button. */
export function setIcon(button: HTMLElement, name: IconName): void {
  if (button.dataset['icon'] === name) return
  button.dataset['icon'] = name
  button.querySelector('svg')?.replaceWith(icon(name))
}
