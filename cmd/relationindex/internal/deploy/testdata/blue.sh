#!/usr/bin/env bash
# Deployment blue, project p, database blue
#   functions  7 in us-central1: blue-on-follower-written, blue-on-post-written, blue-on-job-written, blue-on-user-deleted, blue-on-block-written, blue-sweep, blue-feed
#   accounts   4 service accounts: blue-functions, blue-triggers, blue-build, blue-feed
#   alerts     16, shown in the console only, without --notify
#   rules      feed-only, if the database has none
#   time       7 builds, about 22 minutes the first time, and up to 20 more while Google spreads new roles; later, what has changed
#   idle       no instance runs. 0.16 USD a month: a job of the scheduler, and a secret. Sweep's 43,200 calls a month are within Cloud Run's free tier, if the project has nothing else
#              alerts are free until September 2027; then the 20 metrics that they read cost 7.00 USD a month, and 0.50 USD a million points
#
# It may be run again, also after an interruption. Before, the program checks:
# * FIRESTORE_EMULATOR_HOST and FIREBASE_AUTH_EMULATOR_HOST are not set
# * every RELATIONINDEX_ variable is within its rule, and firestore.indexes.json has what they need
# * the rules have a match /NAME/ for each collection that a variable renames, and the default name in no path
# * --region is --location, or one of its regions
# * gcloud runs
# * gcloud has its beta component, and alpha, whose commands for alert policies newer releases have without it
# * firebase-tools runs: on PATH, or in web/node_modules, or by npx
# * at most 2 MiB are uploaded for a function
# * gcloud is signed in
# * the project is active
# * the APIs are enabled
# * us-central1 offers go126
# * us-central1 has Cloud Scheduler, which calls Sweep
# * the quota of CPU of Cloud Run in the region is at least 20, the instances of blue-on-job-written
# * the database is of native mode, in nam5
# * no other deployment has triggers on the database
# * no function of this deployment is in another region
# * the database has the indexes and overrides of firestore.indexes.json, which are then not written; or it has no others
# * the functions run with the variables of this shell and relationindex.env, except the variables in --differ
# * the database's rules have what stands between the marks of ours, which are then not written; or the database lets no client in, and has no users and posts
set -euo pipefail
PROJECT=p
REGION=us-central1
MARK=blue_blue
SECRET=relationindex-tombstone-key-blue
FIREBASE_TOOLS=firebase-tools@15.34.2
grep -q '^module example.com/relationindex$' go.mod || { echo "run this in the directory of relationindex" >&2; exit 2; }
PATH=$PATH:$PWD/web/node_modules/.bin
WORK=$(dirname "$0")
# What the program finds out before: write, or keep what is there.
INDEXES=${INDEXES:?write, or keep if the database has all indexes of $WORK/firestore.indexes.json}
RULES=${RULES:?write to replace all rules of the database by $WORK/firestore.rules, or keep}
case $INDEXES-$RULES in write-write | write-keep | keep-write | keep-keep) ;; *) echo "INDEXES and RULES must be write or keep" >&2; exit 2 ;; esac
SOURCE=$(cat "$WORK/source")
DEPLOYED=$(date -u +%Y-%m-%dT%H:%M:%SZ)
# The five functions of the script: ensure, gone, bind, watch and wait.
#
# The script runs main twice. The first pass counts the steps, and stops if something with one of our names was not made by this
# deployment. It changes nothing. The second pass looks again, and makes what is missing, in order. So the script may be run again
# at any time: it skips what is done, and goes on where it stopped.
: "${PROJECT:?}" "${REGION:?}" "${MARK:?}"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
trap 'exit 130' INT TERM HUP
set +o noclobber
PASS='look' ALL=0 AT=0 REMOVED=0 TAKEN='' number=''

gcloud() { command gcloud "$@" --project="$PROJECT" --quiet; }
firebase() {
  if type -P firebase >/dev/null; then command firebase "$@" --project="$PROJECT" --non-interactive
  else npx --yes "$FIREBASE_TOOLS" "$@" --project="$PROJECT" --non-interactive; fi
}
# The commands for alert policies are in alpha alone in older releases of gcloud.
policies() {
  if [ ! -e "$here/released" ]; then
    if command gcloud monitoring policies list --help >/dev/null 2>&1; then echo yes; else echo no; fi >"$here/released"
  fi
  if [ "$(cat "$here/released")" = yes ]; then gcloud monitoring policies "$@"; else gcloud alpha monitoring policies "$@"; fi
}
dashboards() { gcloud monitoring dashboards "$@"; }

# list KIND prints what there is of a kind: a line each, with its name and its state. Labels or a description say whose it is.
list() {
  local mark="relationindex~\"^${MARK}\$\"" name='name.basename()'
  case $1 in
  account) gcloud iam service-accounts list --format='value[separator=" "](email,description)' ;;
  agent) gcloud projects get-iam-policy "$PROJECT" --flatten='bindings[].members' --format='value(bindings.members)' |
    sed -n "s/.*service-${number}@gcp-sa-pubsub[.].*/pubsub.googleapis.com/p; s/.*service-${number}@gcf-admin-robot[.].*/cloudfunctions.googleapis.com/p" ;;
  role) gcloud iam roles list --format="value[separator=\" \"]($name,description)" ;;
  secret) gcloud secrets list --format="value($name)" ;;
  version) gcloud secrets versions list "$SECRET" --format="value($name)" ;;
  function) # With a region that does not answer, gcloud prints a part, and a warning.
    gcloud functions list --v2 --regions="$REGION" --format="value[separator=\" \"]($name,labels.relationindex,labels.relationindex-source,labels.relationindex-flags,state)" 2>"$here/warned" || { cat "$here/warned" >&2; return 1; }
    if grep -i unreachable "$here/warned" >&2; then return 1; fi ;;
  job) gcloud scheduler jobs list --location="$REGION" --format="value[separator=\" \"]($name,description)" ;;
  open) gcloud run services list --region="$REGION" --format='value[separator=" "](metadata.name,metadata.annotations."run.googleapis.com/invoker-iam-disabled")' | tr '[:upper:]' '[:lower:]' ;;
  metric) gcloud logging metrics list --format='value[separator=" "](name,description)' ;;
  policy) policies list --filter="userLabels.$mark" --format='value[separator=" "](userLabels.relationindex-file,userLabels.relationindex,userLabels.relationindex-digest,name)' ;;
  dashboard) dashboards list --filter="labels.$mark" --format='value[separator=" "](labels.relationindex-file,labels.relationindex,labels.relationindex-digest,name)' ;;
  esac
}

# state KIND NAME prints "=" and the state of what has a name, and nothing if nothing has it. It lists each kind once in a pass.
state() {
  local file="$here/$PASS-$1"
  if [ ! -e "$file" ]; then list "$1" >"$file.new" && mv "$file.new" "$file" || return; fi
  awk -v name="$2" '$0 == name || index($0, name " ") == 1 { print "=" substr($0, length(name) + 2); exit }' "$file"
}

# ours KIND NAME OURS tells whether something is there, and its state begins with OURS.
ours() {
  local has
  has=$(state "$1" "$2") || exit
  case $has in "=$3"*) return 0 ;; *) return 1 ;; esac
}

# step TITLE counts a step in the first pass, and fails; in the second, it says what comes.
step() {
  if [ "$PASS" = look ]; then
    ALL=$((ALL + 1))
    return 1
  fi
  AT=$((AT + 1))
  printf '%d/%d %s: ' "$AT" "$ALL" "$1"
}

# split WORD… [:: WORD…] sets the arrays first and second to the words before and after "::". Without "::", both have all words.
split() {
  first=() second=()
  while [ $# -gt 0 ] && [ "$1" != :: ]; do
    first+=("$1")
    shift
  done
  if [ $# -gt 0 ]; then
    shift
    second=("$@")
  else second=("${first[@]}"); fi
}

# ensure KIND NAME OURS WANT CREATE… [:: UPDATE…] makes what is missing, and updates what is ours and not as WANT says. The state
# of what is ours begins with OURS.
ensure() {
  local kind=$1 name=$2 ours=$3 want=$4 has
  shift 4
  split "$@"
  has=$(state "$kind" "$name")
  case $has in '' | "=$ours"*) ;; *)
    TAKEN="$TAKEN  $kind $name"$'\n'
    [ "$PASS" = look ] || taken
    ;;
  esac
  step "$kind $name" || return 0
  case $has in
  "=$want") echo unchanged ;;
  '') wait "${first[@]}" && echo created ;;
  *) wait "${second[@]}" && echo updated ;;
  esac
}

# gone KIND OURS NAME… :: DELETE… deletes those of the names that are ours, and everything that is ours for the name "*". {} stands
# for what is deleted: for the last word of its state, or its name. A function with the label of the mark alone is an app's.
gone() {
  local kind=$1 ours=$2 line id
  shift 2
  split "$@"
  state "$kind" '' >/dev/null
  [ "$PASS" = make ] || return 0
  while IFS= read -r line <&3; do
    case ${line#* } in "$ours "*) continue ;; "$ours"*) ;; *) continue ;; esac
    case " ${first[*]} " in " * " | *" ${line%% *} "*) ;; *) continue ;; esac
    id=${line%% *}
    case $kind in policy | dashboard) id=${line##* } ;; esac
    printf '%s %s: ' "$kind" "${line%% *}"
    wait "${second[@]//\{\}/$id}" && echo removed
    REMOVED=$((REMOVED + 1))
  done 3<"$here/$PASS-$kind"
}

# bind add|remove ROLE MEMBER CONDITION GROUP… :: RESOURCE… gives a role on a resource to a member, or takes it, under whatever
# condition. CONDITION is "", None, or expression=…,title=…; to take a role, "".
bind() {
  local verb=$1 role=$2 member=$3 condition=$4 title='' has=no
  shift 4
  split "$@"
  step "$verb $role for $member on ${second[0]}" || return 0
  case $condition in *,title=*) title=${condition##*,title=} ;; esac
  wait gcloud "${first[@]}" get-iam-policy "${second[@]}" --flatten='bindings[].members' --format='value[separator=" "](bindings.role,bindings.members,bindings.condition.title)'
  if [ "$verb" = remove ]; then
    condition=--all
    if grep -qF -- "$role $member " "$here/out"; then has=yes; fi
  elif grep -qxF -- "$role $member $title" "$here/out"; then has=yes; fi
  case $verb-$has in add-yes | remove-no)
    echo unchanged
    return 0
    ;;
  esac
  case $condition in '') ;; --all) second+=(--all) ;; *) second+=("--condition=$condition") ;; esac
  wait gcloud "${first[@]}" "$verb-iam-policy-binding" "${second[@]}" --member="$member" --role="$role" --format=none && echo 'done'
}

# watch KIND NAME DIGEST FILE makes an alert policy or a dashboard of a file, or updates it. An update of a dashboard needs its
# etag: it is deleted and made again.
watch() {
  local has flag=--config-from-file commands=dashboards
  has=$(state "$1" "$2")
  step "$1 $2" || return 0
  if [ "$1" = policy ]; then flag=--policy-from-file commands=policies; fi
  case $has in
  "=$MARK $3 "*) echo unchanged ;;
  '') wait "$commands" create "$flag=$4" && echo created ;;
  *)
    if [ "$1" = policy ]; then wait policies update "${has##* }" "$flag=$4"
    else wait dashboards delete "${has##* }" && wait dashboards create "$flag=$4"; fi
    echo updated
    ;;
  esac
}

# wait COMMAND… runs a command, and again each half minute for ten minutes while Google answers that something new is not known
# everywhere yet, or that too much is asked at once. What the command prints is in $here/out.
LATER='does not exist[.]|in the resource.s hierarchy|ermission denied while using the Eventarc Service Agent|eventarc.events.receiveEvent|Permission denied on secret'
LATER+='|missing permission on the build service account|permission to act as service account|Access to bucket gcf-v2-sources|repositories.downloadArtifacts|Unable to retrieve the repository metadata'
LATER+='|has not been used in project|If a metric was created recently|unable to queue the operation|status=\[(429|503)\]|concurrent policy changes|contention|underlying data changed|HTTP Error: (429|503)'
wait() {
  local left=20
  until "$@" >"$here/out" 2>"$here/err"; do
    left=$((left - 1))
    if [ "$left" -lt 0 ] || ! grep -qE "$LATER" "$here/out" "$here/err"; then
      printf 'failed\n%s\n' "$*" >&2
      cat "$here/out" "$here/err" | tail -c 4000 >&2
      printf '\nStopped. What was made before runs. Run this again: it goes on here.\n' >&2
      exit 1
    fi
    printf 'not yet, '
    sleep "${DEPLOY_PAUSE:-30}"
  done
}

# taken ends the script for what is somebody else's.
taken() {
  printf 'These exist, and this deployment (%s) did not make them. Remove them, or deploy with another --name:\n%s' "$MARK" "$TAKEN" >&2
  exit 1
}

# both runs main in both passes.
both() {
  main
  if [ -n "$TAKEN" ]; then
    echo 'Nothing was changed.' >&2
    taken
  fi
  PASS='make'
  main
}

main() {
  # Accounts and roles. New ones take minutes to be known everywhere: indexes come between them and their first use.
  if [ "$PASS" = make ]; then number=$(gcloud projects describe p --format='value(projectNumber)'); fi
  ensure agent cloudfunctions.googleapis.com '' '' gcloud beta services identity create --service=cloudfunctions.googleapis.com
  ensure agent pubsub.googleapis.com '' '' gcloud beta services identity create --service=pubsub.googleapis.com
  ensure account blue-functions@p.iam.gserviceaccount.com 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: what the functions run as' gcloud iam service-accounts create blue-functions --display-name=blue-functions --description='deployed by relationindex as blue_blue: what the functions run as' :: gcloud iam service-accounts update blue-functions@p.iam.gserviceaccount.com --description='deployed by relationindex as blue_blue: what the functions run as'
  ensure account blue-triggers@p.iam.gserviceaccount.com 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: what brings events to the functions, and calls Sweep' gcloud iam service-accounts create blue-triggers --display-name=blue-triggers --description='deployed by relationindex as blue_blue: what brings events to the functions, and calls Sweep' :: gcloud iam service-accounts update blue-triggers@p.iam.gserviceaccount.com --description='deployed by relationindex as blue_blue: what brings events to the functions, and calls Sweep'
  ensure account blue-build@p.iam.gserviceaccount.com 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: what builds the functions' gcloud iam service-accounts create blue-build --display-name=blue-build --description='deployed by relationindex as blue_blue: what builds the functions' :: gcloud iam service-accounts update blue-build@p.iam.gserviceaccount.com --description='deployed by relationindex as blue_blue: what builds the functions'
  ensure account blue-feed@p.iam.gserviceaccount.com 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: what Feed runs as, which only reads' gcloud iam service-accounts create blue-feed --display-name=blue-feed --description='deployed by relationindex as blue_blue: what Feed runs as, which only reads' :: gcloud iam service-accounts update blue-feed@p.iam.gserviceaccount.com --description='deployed by relationindex as blue_blue: what Feed runs as, which only reads'
  ensure role relationindexFeed 'deployed by relationindex: ' 'deployed by relationindex: Feed asks whether tokens are revoked, by firebaseauth.users.get' gcloud iam roles create relationindexFeed --title='relationindex Feed' --stage=GA --permissions=firebaseauth.users.get --description='deployed by relationindex: Feed asks whether tokens are revoked, by firebaseauth.users.get' :: gcloud iam roles update relationindexFeed --title='relationindex Feed' --stage=GA --permissions=firebaseauth.users.get --description='deployed by relationindex: Feed asks whether tokens are revoked, by firebaseauth.users.get'
  ensure secret relationindex-tombstone-key-blue '' '' gcloud secrets create relationindex-tombstone-key-blue --replication-policy=user-managed --locations=us-central1
  if [ "$PASS" = make ]; then   ensure version 1 '' '' gcloud secrets versions add relationindex-tombstone-key-blue --data-file="$WORK"/tombstone-key
  else ALL=$((ALL + 1)); fi
  bind add roles/datastore.user serviceAccount:blue-functions@p.iam.gserviceaccount.com 'expression=resource.name=="projects/p/databases/blue",title=blue_blue' projects :: p
  bind add roles/eventarc.eventReceiver serviceAccount:blue-triggers@p.iam.gserviceaccount.com None projects :: p
  bind add roles/cloudbuild.builds.builder serviceAccount:blue-build@p.iam.gserviceaccount.com None projects :: p
  bind add roles/datastore.viewer serviceAccount:blue-feed@p.iam.gserviceaccount.com 'expression=resource.name=="projects/p/databases/blue",title=blue_blue' projects :: p
  bind add projects/p/roles/relationindexFeed serviceAccount:blue-feed@p.iam.gserviceaccount.com None projects :: p
  bind add roles/secretmanager.secretAccessor serviceAccount:blue-functions@p.iam.gserviceaccount.com None secrets :: relationindex-tombstone-key-blue

  # The agent of Pub/Sub signs the pushes of triggers: projects that had it before April 8, 2021 need this role.
  bind add roles/iam.serviceAccountTokenCreator "serviceAccount:service-$number@gcp-sa-pubsub.iam.gserviceaccount.com" None projects :: p

  # Indexes and time-to-live policies. Firestore builds indexes in the background. firebase-tools deletes none.
  if [ "$INDEXES" = write ] && step 'indexes, and time-to-live policies'; then
    wait firebase deploy --only=firestore:indexes --config="$WORK"/firebase.json && echo 'done'
  fi

  # Functions. Without its invoker, a function rejects its events, which Eventarc delivers again for 24 hours.
  ensure function blue-on-follower-written 'blue_blue ' 'blue_blue '"$SOURCE"' 756f1007f0e242f3e8bced10daa3a2af ACTIVE' gcloud functions deploy blue-on-follower-written --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=OnFollowerWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters=database=blue --trigger-event-filters-path-pattern='document=users/{userId}/followers/{followerId}' --trigger-location=nam5 --trigger-service-account=blue-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-blue:1 --timeout=60s --memory=512Mi --cpu=1 --concurrency=400 --min-instances=0 --max-instances=10 --service-account=blue-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=756f1007f0e242f3e8bced10daa3a2af
  bind add roles/run.invoker serviceAccount:blue-triggers@p.iam.gserviceaccount.com '' run services :: blue-on-follower-written --region=us-central1
  ensure function blue-on-post-written 'blue_blue ' 'blue_blue '"$SOURCE"' 5840c1394c28526d14d631369619c6fb ACTIVE' gcloud functions deploy blue-on-post-written --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=OnPostWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters=database=blue --trigger-event-filters-path-pattern='document=posts/{postId}' --trigger-location=nam5 --trigger-service-account=blue-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-blue:1 --timeout=60s --memory=512Mi --cpu=1 --concurrency=80 --min-instances=0 --max-instances=10 --service-account=blue-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=5840c1394c28526d14d631369619c6fb
  bind add roles/run.invoker serviceAccount:blue-triggers@p.iam.gserviceaccount.com '' run services :: blue-on-post-written --region=us-central1
  ensure function blue-on-job-written 'blue_blue ' 'blue_blue '"$SOURCE"' effe89a6da9573ae2441c1c7a7bac1eb ACTIVE' gcloud functions deploy blue-on-job-written --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=OnJobWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters=database=blue --trigger-event-filters-path-pattern='document=_functions/{jobId}' --trigger-location=nam5 --trigger-service-account=blue-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-blue:1 --timeout=540s --memory=512Mi --cpu=1 --concurrency=8 --min-instances=0 --max-instances=20 --service-account=blue-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=effe89a6da9573ae2441c1c7a7bac1eb
  bind add roles/run.invoker serviceAccount:blue-triggers@p.iam.gserviceaccount.com '' run services :: blue-on-job-written --region=us-central1
  ensure function blue-on-user-deleted 'blue_blue ' 'blue_blue '"$SOURCE"' 8bf34980649c4188a81f642aef4fcfae ACTIVE' gcloud functions deploy blue-on-user-deleted --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=OnUserDeleted --trigger-event-filters=type=google.cloud.firestore.document.v1.deleted --trigger-event-filters=database=blue --trigger-event-filters-path-pattern='document=users/{userId}' --trigger-location=nam5 --trigger-service-account=blue-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-blue:1 --timeout=60s --memory=256Mi --cpu=1 --concurrency=80 --min-instances=0 --max-instances=3 --service-account=blue-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=230MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=8bf34980649c4188a81f642aef4fcfae
  bind add roles/run.invoker serviceAccount:blue-triggers@p.iam.gserviceaccount.com '' run services :: blue-on-user-deleted --region=us-central1
  ensure function blue-on-block-written 'blue_blue ' 'blue_blue '"$SOURCE"' f882155f81d371d92dea5d2c641ec291 ACTIVE' gcloud functions deploy blue-on-block-written --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=OnBlockWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters=database=blue --trigger-event-filters-path-pattern='document=users/{userId}/blocked/{followerId}' --trigger-location=nam5 --trigger-service-account=blue-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-blue:1 --timeout=60s --memory=256Mi --cpu=1 --concurrency=80 --min-instances=0 --max-instances=3 --service-account=blue-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=230MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=f882155f81d371d92dea5d2c641ec291
  bind add roles/run.invoker serviceAccount:blue-triggers@p.iam.gserviceaccount.com '' run services :: blue-on-block-written --region=us-central1
  ensure function blue-sweep 'blue_blue ' 'blue_blue '"$SOURCE"' 6a6d4576f0181c9ccffbdbe5ff0f0f7c ACTIVE' gcloud functions deploy blue-sweep --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=Sweep --trigger-http --no-allow-unauthenticated --timeout=60s --memory=256Mi --cpu=0.167 --concurrency=1 --min-instances=0 --max-instances=2 --service-account=blue-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=230MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=6a6d4576f0181c9ccffbdbe5ff0f0f7c
  bind add roles/run.invoker serviceAccount:blue-triggers@p.iam.gserviceaccount.com '' run services :: blue-sweep --region=us-central1
  ensure function blue-feed 'blue_blue ' 'blue_blue '"$SOURCE"' 8821ef2d25df611731a1317f061bfe88 ACTIVE' gcloud functions deploy blue-feed --gen2 --region=us-central1 --runtime=go126 --source=. --entry-point=Feed --trigger-http --timeout=30s --memory=512Mi --cpu=1 --concurrency=40 --min-instances=0 --max-instances=20 --service-account=blue-feed@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/blue-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DATABASE=blue,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=blue_blue,relationindex-source="$SOURCE",relationindex-flags=8821ef2d25df611731a1317f061bfe88
  gone function 'blue_blue ' blue-on-user-written blue-on-settings-written blue-on-hidden-written blue-on-request-written blue-on-like-written blue-on-comment-written blue-on-block-created blue-on-comment-created :: gcloud functions delete '{}' --gen2 --region=us-central1

  # Sweep's schedule. Without it, a job whose event was lost waits for ever.
  sweep() {
    local uri
    uri=$(gcloud functions describe blue-sweep --gen2 --region=us-central1 --format='value(serviceConfig.uri)') || return
    gcloud scheduler jobs "$1" http blue-sweep --description='deployed by relationindex as blue_blue: wakes jobs whose event was lost or whose step died; 9c315609c4bda4438aa883774fb56bbb' --location=us-central1 --schedule='* * * * *' --time-zone=Etc/UTC --http-method=post --oidc-service-account-email=blue-triggers@p.iam.gserviceaccount.com --attempt-deadline=60s --max-retry-attempts=3 --min-backoff=5s --max-backoff=20s "--uri=$uri" "--oidc-token-audience=$uri"
  }
  ensure job blue-sweep 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: wakes jobs whose event was lost or whose step died; 9c315609c4bda4438aa883774fb56bbb' sweep create :: sweep update

  # Rules: from here on, clients write.
  if [ "$RULES" = write ] && step 'rules feed-only, if the database has none'; then
    wait firebase deploy --only=firestore:rules --config="$WORK"/firebase.json && echo 'done'
  fi

  # Feed's opening. Clients prove themselves by Firebase ID tokens, which Cloud Run does not know.
  ensure open blue-feed '' true gcloud run services update blue-feed --region=us-central1 --no-invoker-iam-check

  # Metrics, alerts and the dashboard.
  ensure metric blue/acts-waiting 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Posts, follows and the like that wait, because their account does more than RELATIONINDEX_ACCOUNT_HOUR allows. (af3614950fb3ee3a936f2d87f34fd2b6)' gcloud logging metrics create blue/acts-waiting --config-from-file="$WORK"/monitoring/metrics/acts-waiting.json :: gcloud logging metrics update blue/acts-waiting --config-from-file="$WORK"/monitoring/metrics/acts-waiting.json
  ensure metric blue/brake-on 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Calls of Sweep that found the brake on. (ed4cbb2aba6540e5b39cc28ecff53095)' gcloud logging metrics create blue/brake-on --config-from-file="$WORK"/monitoring/metrics/brake-on.json :: gcloud logging metrics update blue/brake-on --config-from-file="$WORK"/monitoring/metrics/brake-on.json
  ensure metric blue/failed-jobs 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Jobs that have failed for good, or ten times in a row, and want a person, by kind. (53c251006dbd0de1ed6ced63aa8fc203)' gcloud logging metrics create blue/failed-jobs --config-from-file="$WORK"/monitoring/metrics/failed-jobs.json :: gcloud logging metrics update blue/failed-jobs --config-from-file="$WORK"/monitoring/metrics/failed-jobs.json
  ensure metric blue/lag 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Milliseconds from the time of an event until it was handled. (c945db898c62c4a571c7185db35cabf9)' gcloud logging metrics create blue/lag --config-from-file="$WORK"/monitoring/metrics/lag.json :: gcloud logging metrics update blue/lag --config-from-file="$WORK"/monitoring/metrics/lag.json
  ensure metric blue/overrun-steps 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Steps of jobs that ran into the reserve of their time, or out of it. (1ff51e81bf119a8e80095c9170945693)' gcloud logging metrics create blue/overrun-steps --config-from-file="$WORK"/monitoring/metrics/overrun-steps.json :: gcloud logging metrics update blue/overrun-steps --config-from-file="$WORK"/monitoring/metrics/overrun-steps.json
  ensure metric blue/reads 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Documents that a run read, as billed. (ce012887d4d7ac875945c52aaa20ca52)' gcloud logging metrics create blue/reads --config-from-file="$WORK"/monitoring/metrics/reads.json :: gcloud logging metrics update blue/reads --config-from-file="$WORK"/monitoring/metrics/reads.json
  ensure metric blue/runs 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Runs of functions, by function and outcome. (3d10a346fb84c2d5c05f5de5021fa4a7)' gcloud logging metrics create blue/runs --config-from-file="$WORK"/monitoring/metrics/runs.json :: gcloud logging metrics update blue/runs --config-from-file="$WORK"/monitoring/metrics/runs.json
  ensure metric blue/sample-violations 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Documents that the sampling verify has found wrong twice, a minute apart. (1d6b95e2bab936632c14f92cdca6be1f)' gcloud logging metrics create blue/sample-violations --config-from-file="$WORK"/monitoring/metrics/sample-violations.json :: gcloud logging metrics update blue/sample-violations --config-from-file="$WORK"/monitoring/metrics/sample-violations.json
  ensure metric blue/writes 'deployed by relationindex as blue_blue: ' 'deployed by relationindex as blue_blue: Documents that a run wrote, as billed. (2c58ee72c14465379177013dc0fbc3bf)' gcloud logging metrics create blue/writes --config-from-file="$WORK"/monitoring/metrics/writes.json :: gcloud logging metrics update blue/writes --config-from-file="$WORK"/monitoring/metrics/writes.json
  watch policy acts-waiting c6cd9c3087a540e1cc90293c76ffc2d5 "$WORK"/monitoring/alerts/acts-waiting.json
  watch policy brake-on f4ad8463ad7d535271360dd61c0e8551 "$WORK"/monitoring/alerts/brake-on.json
  watch policy events-dropped b4dc33e5ec3661790c7f1a80d8bf6f84 "$WORK"/monitoring/alerts/events-dropped.json
  watch policy events-waiting cca737a6fb78407f4fe90c0efe438157 "$WORK"/monitoring/alerts/events-waiting.json
  watch policy feed-errors c84ae337311a47d490e359faa1c256f3 "$WORK"/monitoring/alerts/feed-errors.json
  watch policy instances-exhausted fc5f1f4a4d134af47bf085a1a0576897 "$WORK"/monitoring/alerts/instances-exhausted.json
  watch policy jobs-failed 88d463be16641e5a07cdf0fb44cc23c4 "$WORK"/monitoring/alerts/jobs-failed.json
  watch policy lag-high efc678ee8bc36edce4219548f681044d "$WORK"/monitoring/alerts/lag-high.json
  watch policy reads-budget aa773e76bfe73e1f8c02a95043db73df "$WORK"/monitoring/alerts/reads-budget.json
  watch policy reads-operation bd1bb4b0b565b8497a8c6af02f9112f3 "$WORK"/monitoring/alerts/reads-operation.json
  watch policy runs-failing a90f1b3dc9fba899eb105df035b620f0 "$WORK"/monitoring/alerts/runs-failing.json
  watch policy sample-violations 7eed05fca36cdedf60fc9777443942f0 "$WORK"/monitoring/alerts/sample-violations.json
  watch policy steps-overrun b7b665776bbb2b2125380f955f586c93 "$WORK"/monitoring/alerts/steps-overrun.json
  watch policy sweep-missing caf96d1a8311f8b5574b6cea36410d7f "$WORK"/monitoring/alerts/sweep-missing.json
  watch policy writes-budget 2fcf2de9f14be8527d33f2422d2a3ecc "$WORK"/monitoring/alerts/writes-budget.json
  watch policy writes-operation aa315f444c60112251852e8afcbeae3a "$WORK"/monitoring/alerts/writes-operation.json
  watch dashboard dashboard 87a41ffa299e02de999bc86f1d278374 "$WORK"/monitoring/dashboard.json
}

both
