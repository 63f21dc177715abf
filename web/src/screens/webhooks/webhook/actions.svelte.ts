/** The actions on a webhook, in its row and on its page. */

import Pencil from '@lucide/svelte/icons/pencil'
import Pause from '@lucide/svelte/icons/pause'
import Play from '@lucide/svelte/icons/play'
import KeyRound from '@lucide/svelte/icons/key-round'
import Trash2 from '@lucide/svelte/icons/trash-2'
import { deleteWebhook, rotateSecret, updateWebhook, type Webhook } from '../../../api/webhooks/webhooks'
import type { MenuItem } from '../../../components/overlay/Menu.svelte'
import { confirmation } from '../../../state/confirmation.svelte'
import { toasts } from '../../../state/toasts.svelte'
import { titleOf } from '../targets'

export class WebhookActions {
  /** Whether the dialog of the webhook is open. */
  isEditing = $state(false)
  /** A rotated secret, which is shown once. */
  secret = $state<string | undefined>()
  #webhook: () => Webhook
  #changed: (isDeleted: boolean) => unknown

  constructor(webhook: () => Webhook, changed: (isDeleted: boolean) => unknown) {
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
        { label: 'Edit', icon: Pencil, act: () => (this.isEditing = true) },
        ...(status === 'active' ? [] : [start]),
        ...(status === 'inactive' ? [] : [pause]),
        { label: 'Rotate secret', icon: KeyRound, act: () => this.#askToRotate() },
      ],
      [{ label: 'Delete', icon: Trash2, isDanger: true, act: () => this.#askToDelete() }],
    ]
  }

  async setStatus(status: 'active' | 'inactive'): Promise<void> {
    try {
      await updateWebhook(this.webhook.id.webhook_id, { status })
      toasts.show(status === 'active' ? 'Webhook resumed' : 'Webhook paused')
      this.#changed(false)
    } catch (error) {
      toasts.fail(error)
    }
  }

  #askToRotate(): void {
    confirmation.ask({
      title: `Rotate the secret of ${titleOf(this.webhook)}?`,
      description:
        'For 24 hours both secrets sign: the new one in the usual headers, both in X-…-Signature-V2. After that the old secret is invalid.',
      verb: 'Rotate secret',
      act: async () => (this.secret = await rotateSecret(this.webhook.id.webhook_id)),
    })
  }

  #askToDelete(): void {
    confirmation.ask({
      title: `Delete ${titleOf(this.webhook)}?`,
      description: "No more events are sent, and its deliveries are deleted. This can't be undone.",
      verb: 'Delete webhook',
      act: async () => {
        await deleteWebhook(this.webhook.id.webhook_id)
        toasts.show('Webhook deleted')
        this.#changed(true)
      },
    })
  }

  saved(): void {
    this.isEditing = false
    toasts.show('Webhook updated')
    this.#changed(false)
  }
}
