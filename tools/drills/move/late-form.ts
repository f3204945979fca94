/**
 * A form issued before a migration and posted after the switch to the old storage, from which the migrator must copy
 * the file.
 */

import type { Load, OpenForm } from '../load/load.ts'
import type { DrillReport } from '../support/drill-report.ts'

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

  /** The load verifies that its video is processed and plays. */
  async check(report: DrillReport, to: string): Promise<void> {
    const hasArrived = await this.#posted
    const what = `to ${to}: form posted to the old storage after the switch`
    const found = hasArrived ? 'arrived in the new cell' : 'never arrived'
    report.check(what, found, hasArrived && this.#leadsToOldStorage)
  }
}
