/** Lists to choose from, in one panel above the bar. */
import { words } from '../words.ts'
import { element, type IconName, icon, iconButton } from './dom.ts'

export type MenuItem = {
  readonly label: string
  /** What stands at its end: what is chosen behind it, a time. */
  readonly detail?: string
  readonly icon?: IconName
  readonly picture?: HTMLElement
  /** One of several; absent of what leads somewhere. */
  readonly isChosen?: boolean
  /** Another page opens; otherwise the menu closes. */
  readonly page?: () => MenuPage
  readonly choose?: () => void
}

export type MenuPage = {
  readonly title: string
  readonly name: string
  readonly items: readonly MenuItem[]
  readonly before?: () => MenuPage
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

  /** A second press closes it. */
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
    // Whoever came by keyboard goes on from where they were.
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
    // Without moving the page around it.
    if (chosen) list.scrollTop = chosen.offsetTop - (list.clientHeight - chosen.offsetHeight) / 2
    this.#onChange()
  }

  #header({ title, before }: MenuPage): HTMLElement {
    const heading = element('div', { class: 'menu-title' }, title)
    const button = before ? iconButton('back', words.back) : iconButton('close', words.close)
    button.addEventListener('click', () => (before ? this.#show(before()) : this.close()))
    const parts = before ? [button, heading] : [heading, button]
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
    const at = items.indexOf(this.#focused as HTMLElement)
    items[(at + step + items.length) % items.length]?.focus()
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
  const isOne = item.isChosen !== undefined
  const button = element('button', {
    type: 'button',
    class: 'item',
    role: isOne ? 'menuitemradio' : 'menuitem',
    tabindex: -1,
    ...(isOne && { 'aria-checked': String(item.isChosen) }),
  })
  if (item.picture) button.append(item.picture)
  else if (item.icon) button.append(icon(item.icon))
  else if (isOne) button.append(icon('chosen'))
  button.append(element('span', { class: 'item-label' }, item.label))
  if (item.detail !== undefined) {
    button.append(element('span', { class: 'item-detail' }, item.detail))
  }
  if (item.page) button.append(icon('more'))
  return button
}
