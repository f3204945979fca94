/**
 * A form that was given out before an organization moved, and is posted after the switch: to the
 * storage that it has left, from where the mover must carry it over.
 */
import type { Figures } from './figures.ts'
import type { Load, OpenForm } from './load.ts'

export class LateForm {
  readonly #form: OpenForm
  readonly #leadsToOldStorage: boolean
  #posted = Promise.resolve(false)

  private constructor(form: OpenForm, leadsToOldStorage: boolean) {
    this.#form = form
    this.#leadsToOldStorage = leadsToOldStorage
  }

  static async open(load: Load, oldStorage: string): Promise<LateForm> {
    const form = await load.openForm()
    return new LateForm(form, form.link.startsWith(oldStorage))
  }

  post(): void {
    this.#posted = this.#form.post()
  }

  /** That its video is made and plays is looked for with those of the load. */
  async judge(figures: Figures, to: string): Promise<void> {
    const hasArrived = await this.#posted
    const what = `to ${to}: a form posted to the old storage after the switch`
    const found = hasArrived ? 'arrived in the new cell' : 'never arrived'
    figures.judge(what, found, hasArrived && this.#leadsToOldStorage)
  }
}
