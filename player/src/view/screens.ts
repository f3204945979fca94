/** Overlays: errors, the list of keyboard shortcuts, and short notices. */

import { messages, shortcuts } from '../messages.ts'
import { type ErrorCode, errorMessages } from '../playback-error.ts'
import { element, type IconName, icon, iconButton } from './dom.ts'

const errorIcons: Record<ErrorCode, IconName> = {
  expired: 'wait',
  denied: 'lock',
  missing: 'missing',
  pending: 'wait',
  failed: 'missing',
  offline: 'offline',
  busy: 'wait',
  key: 'lock',
  unsupported: 'missing',
  broken: 'missing',
}

export type ErrorScreen = ReturnType<typeof openErrorScreen>

export function openErrorScreen(onRetry: () => void) {
  const node = element('div', { class: 'screen fault', role: 'alert', hidden: true })
  return {
    node,
    show(code: ErrorCode): void {
      const { heading, advice, canRetry } = errorMessages[code]
      const mark = element('div', { class: 'screen-icon' }, icon(errorIcons[code]))
      const title = element('div', { class: 'screen-title' }, heading)
      const text = element('p', { class: 'screen-text' }, advice)
      node.dataset['fault'] = code
      node.replaceChildren(mark, title, text, ...(canRetry ? [retryButton(onRetry)] : []))
      node.hidden = false
    },
    hide(): void {
      node.hidden = true
    },
  }
}

function retryButton(onRetry: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'plain' }, messages.retry)
  button.addEventListener('click', onRetry)
  return button
}

export function openHelp(onClose: () => void) {
  const close = iconButton('close', messages.close)
  const rows = shortcuts.flatMap(([keys, meaning]) => [
    element('dt', {}, ...keys.split(/([ ,…]+)/).map(toKey)),
    element('dd', {}, meaning),
  ])
  const header = element(
    'div',
    { class: 'menu-header' },
    element('div', { class: 'menu-title' }, messages.keyboard),
    close,
  )
  const card = element('div', { class: 'help-card' }, header, element('dl', { tabindex: 0 }, ...rows))
  const node = element(
    'div',
    {
      class: 'screen help',
      role: 'dialog',
      'aria-modal': 'true',
      'aria-label': messages.keyboard,
      hidden: true,
    },
    card,
  )
  let focusedBefore: Element | null = null
  function hide(): void {
    if (node.hidden) return
    // Moves the focus out of the dialog; it would stay on a hidden button if the dialog closed first.
    const next = focusedBefore instanceof HTMLElement ? focusedBefore : node.parentElement
    next?.focus()
    node.hidden = true
    onClose()
  }
  close.addEventListener('click', hide)
  node.addEventListener('click', (event) => event.target === node && hide())
  node.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' || event.key === '?') hide()
    // Keep key presses inside the dialog.
    if (event.key !== 'Tab') event.stopPropagation()
  })
  return {
    node,
    isOpen: () => !node.hidden,
    hide,
    show(): void {
      focusedBefore = (node.getRootNode() as ShadowRoot).activeElement
      node.hidden = false
      close.focus()
    },
  }
}

const toKey = (text: string, index: number) => (index % 2 === 0 ? element('kbd', {}, text) : text.replace(/^ $/, ' '))

const NOTICE_MILLISECONDS = 7000

/** A message with an action button that disappears by itself. */
export function openNotice() {
  const node = element('div', { class: 'notice', role: 'status', hidden: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  const hide = () => {
    clearTimeout(timer)
    node.hidden = true
  }
  return {
    node,
    hide,
    show(text: string, label: string, act: () => void): void {
      const button = element('button', { type: 'button', class: 'plain' }, label)
      button.addEventListener('click', () => {
        hide()
        act()
      })
      node.replaceChildren(element('span', {}, text), button)
      node.hidden = false
      clearTimeout(timer)
      timer = setTimeout(hide, NOTICE_MILLISECONDS)
    },
  }
}
