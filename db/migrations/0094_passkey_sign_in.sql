-- Sign-in with a passkey in place of the password, and sign-out at providers.

alter table relata.sessions drop constraint sessions_method_check;
alter table relata.sessions add constraint sessions_method_check check (method in ('password', 'passkey', 'provider'));

-- Where the browser signs out at the provider that began the session. Null: the provider has no such page.
alter table relata.sessions add column provider_sign_out_url text;
alter table relata.pending_sign_ins add column provider_sign_out_url text;

-- Challenges that a passkey of any account signs. Each works once.
create table relata.sign_in_challenges (
  challenge text primary key,
  expires_at timestamptz not null
);

create index sign_in_challenges_expires_at on relata.sign_in_challenges (expires_at);
