/** Menus in a panel above the control bar. */
import { messages } from '../messages.ts'
import { element, type IconName, icon, iconButton } from './dom.ts'

export type MenuItem = {
  readonly label: string
  /** Secondary text at the end of the item, such as the current value or a time. */
  readonly detail?: string
  readonly icon?: IconName
  readonly thumbnail?: HTMLElement
  /** Whether a radio item is selected; absent for actions. */
  readonly isChosen?: boolean
  /** Submenu that the item opens; if absent, the menu closes. */
  readonly page?: () => MenuPage
  readonly choose?: () => void
}

export type MenuPage = {
  readonly title: string
  readonly name: string
  readonly items: readonly MenuItem[]
  readonly back?: () => MenuPage
}

export class Menus {
  readonly panel = element('div', { class: 'menu', hidden: true })
  readonly #onChange: () => void
  #opener: HTMLButtonElement | undefined

  constructor(onChange: () => void) {
    this.#onChange = onChange
    this.panel.addEventListener('keydown', (event) => this.#press(event))
  }

  get isOpen(): boolean {
    return !this.panel.hidden
  }

  /** Opens the menu of a button, or closes it if the same button opened it. */
  toggle(button: HTMLButtonElement, page: () => MenuPage): void {
    const wasOpen = this.#opener === button
    this.close()
    if (wasOpen) return
    this.#opener = button
    button.setAttribute('aria-expanded', 'true')
    this.#show(page())
  }

  close(): void {
    if (this.panel.hidden) return
    // Return keyboard focus to the button that opened the menu.
    if (this.panel.contains(this.#focused)) this.#opener?.focus()
    this.panel.hidden = true
    this.#opener?.setAttribute('aria-expanded', 'false')
    this.#opener = undefined
    this.#onChange()
  }

  get #focused(): Element | null {
    return (this.panel.getRootNode() as ShadowRoot).activeElement
  }

  get #items(): HTMLElement[] {
    return [...this.panel.querySelectorAll<HTMLElement>('.item')]
  }

  #show(page: MenuPage): void {
    const list = element('div', { class: 'items', role: 'menu', 'aria-label': page.title })
    list.append(...page.items.map((item) => this.#toButton(item)))
    this.panel.replaceChildren(this.#header(page), list)
    this.panel.dataset['page'] = page.name
    this.panel.hidden = false
    const chosen = this.#items.find((item) => item.ariaChecked === 'true') ?? this.#items[0]
    chosen?.focus({ preventScroll: true })
    // Scrolls the menu to the chosen item. Unlike scrollIntoView, this does not scroll the page.
    if (chosen) list.scrollTop = chosen.offsetTop - (list.clientHeight - chosen.offsetHeight) / 2
    this.#onChange()
  }

  #header({ title, back }: MenuPage): HTMLElement {
    const heading = element('div', { class: 'menu-title' }, title)
    const button = back ? iconButton('back', messages.back) : iconButton('close', messages.close)
    button.addEventListener('click', () => (back ? this.#show(back()) : this.close()))
    const parts = back ? [button, heading] : [heading, button]
    return element('div', { class: 'menu-header' }, ...parts)
  }

  #toButton(item: MenuItem): HTMLButtonElement {
    const button = toItem(item)
    button.addEventListener('click', () => {
      item.choose?.()
      if (item.page) this.#show(item.page())
      else this.close()
    })
    return button
  }

  #move(step: number): void {
    const items = this.#items
    const index = items.indexOf(this.#focused as HTMLElement)
    items[(index + step + items.length) % items.length]?.focus()
  }

  #press(event: KeyboardEvent): void {
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.#move(1),
      ArrowUp: () => this.#move(-1),
      Home: () => this.#items[0]?.focus(),
      End: () => this.#items.at(-1)?.focus(),
      ArrowLeft: () => this.panel.querySelector<HTMLElement>('.menu-header .button')?.click(),
      ArrowRight: () => undefined,
      Escape: () => this.close(),
    }
    const move = moves[event.key]
    if (!move) return
    move()
    event.preventDefault()
    event.stopPropagation()
  }
}

function toItem(item: MenuItem): HTMLButtonElement {
  const isRadio = item.isChosen !== undefined
  const button = element('button', {
    type: 'button',
    class: 'item',
    role: isRadio ? 'menuitemradio' : 'menuitem',
    tabindex: -1,
    ...(isRadio && { 'aria-checked': String(item.isChosen) }),
  })
  if (item.thumbnail) button.append(item.thumbnail)
  else if (item.icon) button.append(icon(item.icon))
  else if (isRadio) button.append(icon('chosen'))
  button.append(element('span', { class: 'item-label' }, item.label))
  if (item.detail !== undefined) {
    button.append(element('span', { class: 'item-detail' }, item.detail))
  }
  if (item.page) button.append(icon('more'))
  return button
}
