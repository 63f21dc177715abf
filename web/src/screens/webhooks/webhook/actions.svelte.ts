/** The actions on a webhook, in its row and on its page. */

import Pencil from '@lucide/svelte/icons/pencil'
import Pause from '@lucide/svelte/icons/pause'
import Play from '@lucide/svelte/icons/play'
import KeyRound from '@lucide/svelte/icons/key-round'
import Trash2 from '@lucide/svelte/icons/trash-2'
import { deleteWebhook, rotateSecret, updateWebhook, type Webhook } from '../../../api/webhooks/webhooks'
import type { MenuItem } from '../../../components/overlay/Menu.svelte'
import { toasts } from '../../../state/toasts.svelte'

export class WebhookActions {
  /** The open dialog. */
  openDialog = $state<'edit' | 'rotate' | 'delete' | undefined>()
  /** A rotated secret, which is shown once. */
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
    const { status } = this.webhook
    const start = {
      label: status === 'inactive' ? 'Resume' : 'Mark as active',
      icon: Play,
      act: () => this.setStatus('active'),
    }
    const pause = { label: 'Pause', icon: Pause, act: () => this.setStatus('inactive') }
    return [
      [
        { label: 'Edit', icon: Pencil, act: () => (this.openDialog = 'edit') },
        ...(status === 'active' ? [] : [start]),
        ...(status === 'inactive' ? [] : [pause]),
        { label: 'Rotate secret', icon: KeyRound, act: () => (this.openDialog = 'rotate') },
      ],
      [{ label: 'Delete', icon: Trash2, isDanger: true, act: () => (this.openDialog = 'delete') }],
    ]
  }

  async setStatus(status: 'active' | 'inactive'): Promise<void> {
    try {
      await updateWebhook(this.webhook.id.webhook_id, { status })
      toasts.show(status === 'active' ? 'Webhook resumed' : 'Webhook paused')
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
    this.openDialog = undefined
    toasts.show('Webhook updated')
    this.#changed()
  }
}
