import "../run-backup";
