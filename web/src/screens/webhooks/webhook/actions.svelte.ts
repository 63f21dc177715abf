/** What one does with a webhook of the workspace, from its row or its page. */

import Pencil from '@lucide/svelte/icons/pencil'
import Power from '@lucide/svelte/icons/power'
import RotateCw from '@lucide/svelte/icons/rotate-cw'
import Trash2 from '@lucide/svelte/icons/trash-2'
import { deleteWebhook, rotateSecret, updateWebhook, type Webhook } from '../../../api/webhooks/webhooks'
import type { MenuItem } from '../../../components/overlay/Menu.svelte'
import { toasts } from '../../../state/toasts.svelte'

export class WebhookActions {
  /** What is being asked. */
  asked = $state<'edit' | 'rotate' | 'delete' | undefined>()
  /** A new one, to be shown once. */
  secret = $state<string | undefined>()
  #webhook: () => Webhook
  #changed: () => unknown

  constructor(webhook: () => Webhook, changed: () => unknown) {
    this.#webhook = webhook
    this.#changed = changed
  }

  get webhook(): Webhook {
    return this.#webhook()
  }

  get menu(): MenuItem[][] {
    const activate = { label: 'Enable', icon: Power, act: () => this.activate() }
    return [
      [
        { label: 'Edit', icon: Pencil, act: () => (this.asked = 'edit') },
        ...(this.webhook.status === 'active' ? [] : [activate]),
        { label: 'Rotate secret', icon: RotateCw, act: () => (this.asked = 'rotate') },
      ],
      [{ label: 'Delete', icon: Trash2, isDanger: true, act: () => (this.asked = 'delete') }],
    ]
  }

  /** Any change makes it active, so the same target will do. */
  async activate(): Promise<void> {
    const { id, target_url } = this.webhook
    try {
      await updateWebhook(id.webhook_id, { target_url })
      toasts.show('Webhook enabled')
      this.#changed()
    } catch (error) {
      toasts.fail(error)
    }
  }

  async rotate(): Promise<void> {
    this.secret = await rotateSecret(this.webhook.id.webhook_id)
  }

  async delete(): Promise<void> {
    await deleteWebhook(this.webhook.id.webhook_id)
    toasts.show('Webhook deleted')
    this.#changed()
  }

  saved(): void {
    this.asked = undefined
    toasts.show('Webhook updated')
    this.#changed()
  }
}
