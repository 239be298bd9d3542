import "../run-restore";
