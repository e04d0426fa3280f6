// Initiates the replica set and creates the user of both apps; can be repeated. Run by mongosh, which defines `connect`.
const { readFileSync } = require('node:fs');

const readSecret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();
const root = `root:${readSecret('mongo_root_password')}`;
const admin = connect(`mongodb://${root}@mongo1:27017/admin?directConnection=true`);

const NOT_YET_INITIALIZED = 94;
const USER_NOT_FOUND = 11;

/** Runs a command; returns its response, also of a failure, whose code says why. */
function attempt(db, command) {
  try {
    return db.runCommand(command);
  } catch (err) {
    return { ok: 0, code: err.code, errmsg: err.message };
  }
}

function assertOk({ ok, errmsg }) {
  if (ok !== 1) throw new Error(errmsg);
}

if (attempt(admin, { replSetGetStatus: 1 }).code === NOT_YET_INITIALIZED) {
  const members = ['mongo1', 'mongo2', 'mongo3'].map((name, _id) => ({ _id, host: `${name}:27017` }));
  assertOk(attempt(admin, { replSetInitiate: { _id: 'keydesk', members } }));
}

// The driver waits for the election of a primary.
const set = connect(`mongodb://${root}@mongo1,mongo2,mongo3/admin?replicaSet=keydesk`);
const user = {
  pwd: readSecret('mongo_password'),
  roles: ['keydesk_auth', 'keydesk_tickets'].map((db) => ({ role: 'readWrite', db })),
  writeConcern: { w: 'majority' },
};
const updated = attempt(set, { updateUser: 'keydesk', ...user });
assertOk(updated.code === USER_NOT_FOUND ? attempt(set, { createUser: 'keydesk', ...user }) : updated);
