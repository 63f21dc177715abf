-- A new secret of a webhook, and a change of an API key's name or scopes, are refused while the workspace moves, as other writes are.

-- A change of the installation's encryption key writes `secret` of all webhooks, also while a workspace moves.
drop trigger refuse_while_moving on relata.webhooks;
create trigger refuse_while_moving
  before insert or delete or update of target_url, subscriptions, name, saved_by, previous_secret_until on relata.webhooks
  for each row execute function relata.refuse_writes_while_moving();

drop trigger refuse_while_moving on relata.tokens;
create trigger refuse_while_moving before insert or delete or update of revoked_at, name, scopes on relata.tokens
  for each row execute function relata.refuse_writes_while_moving();
